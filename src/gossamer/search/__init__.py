"""What is the answer? Query language, ranking, snippets, suggestions, measures."""
