"""The same for programs: every question of the command line as JSON, under /api/v1."""
