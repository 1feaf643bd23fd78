"""What does an HTML page say? Title, text, links, main content, metadata."""
