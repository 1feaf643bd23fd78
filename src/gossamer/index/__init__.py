"""How is it found again? Terms, the index of a shard, what others call pages."""
