"""Which pages lie behind a search form, and how are they reached with few questions?"""
