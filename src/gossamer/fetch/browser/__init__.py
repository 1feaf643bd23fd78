"""What does a page say after its scripts have run? A browser that reaches nothing but what it is handed."""
