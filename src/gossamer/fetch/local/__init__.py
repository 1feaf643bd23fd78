"""How do files of this machine come here? Named folders are walked, and their files are read, and nothing else is."""
