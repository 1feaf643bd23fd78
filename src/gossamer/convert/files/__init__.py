"""What do files say that are no web pages? A module for each format; `formats` lists them."""
