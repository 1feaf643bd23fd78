"""When do we come back to a page that we have? By how often it changes, and what a visit costs."""
