"""Where does an address wait, and which one is next?"""
