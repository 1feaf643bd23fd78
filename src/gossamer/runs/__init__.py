"""Which keys are known, of more than fit in memory? Sorted runs in mapped files, which grow by merging."""
