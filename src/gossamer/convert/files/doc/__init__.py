"""Word files of before 2007."""
