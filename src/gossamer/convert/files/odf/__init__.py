"""OpenDocument: ODT, ODS and ODP."""
