"""A browser's face over a collection: search page, dashboard, JSON. The verbs are those of the command line."""
