"""In which encoding is a text?"""
