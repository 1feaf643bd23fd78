"""Who tells us that something is new? Hubs that we subscribe to, and whoever has our key; a watch is told of it."""
