"""What was asked for? All settings, gathered, checked, and kept as plan.toml in the collection."""

from gossamer.plan.plan import Plan, public, texts
from gossamer.plan.plan_toml import FILE, dump, is_meant, is_whole, load, parse
from gossamer.toml_text import toml

__all__ = ["FILE", "Plan", "dump", "is_meant", "is_whole", "load", "parse", "public", "texts", "toml"]
