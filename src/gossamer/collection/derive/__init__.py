"""What is made from pages? Texts, the index, marks of copies, the graph of links."""
