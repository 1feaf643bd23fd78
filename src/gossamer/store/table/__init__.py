"""Where are the rows? RocksDB, and what is in memory before it."""
