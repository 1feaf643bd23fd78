"""Excel files of before 2007."""
