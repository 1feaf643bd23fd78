"""What kind of document is it? By its bytes, its header and its name."""
