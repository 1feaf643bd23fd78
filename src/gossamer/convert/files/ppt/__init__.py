"""PowerPoint files of before 2007."""
