"""TAR files, and what is packed with gzip."""
