"""What is a page about? A topic that somebody described, and how far pages and links belong to it."""
