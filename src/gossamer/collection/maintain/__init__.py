"""How is a collection repaired, and how is something removed from it?"""
