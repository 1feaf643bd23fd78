"""What do files of other programs hold? WARC in any state, ARC, TREC, WACZ and CDX."""
