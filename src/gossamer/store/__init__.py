"""Where is it kept? WARC files, the table, commits, checks."""
