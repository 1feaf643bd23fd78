"""Make it findable."""
