"""How does a crawl run, from its plan to its last commit?"""
