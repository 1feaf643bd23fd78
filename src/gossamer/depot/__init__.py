"""What is left when a disk is gone? Checkpoints of every shard, in a shared folder or in S3."""
