"""Which fingerprints are known? Sorted runs in mapped files."""
