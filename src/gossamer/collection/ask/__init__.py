"""What can a collection be asked? Nothing here changes it."""
