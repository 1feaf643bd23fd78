"""What is an address worth?"""
