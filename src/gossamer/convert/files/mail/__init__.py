"""Mail: EML and MSG."""
