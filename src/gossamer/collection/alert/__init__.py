"""What does somebody want to hear of? Questions that are kept, and who is told what is new about them."""
