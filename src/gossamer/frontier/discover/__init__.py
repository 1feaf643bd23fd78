"""Is it new, and may it come in?"""
