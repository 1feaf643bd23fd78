"""What belongs to another shard, and how does it get there?"""
