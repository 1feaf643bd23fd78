"""What does an answer mean for its address?"""
