"""Is all of it there, and what is done where it is not?"""
