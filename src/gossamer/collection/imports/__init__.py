"""How do files come in, in the place of the web?"""
