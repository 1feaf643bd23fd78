"""Workers on many machines: one station on each, which Ray carries, and one supervisor that hands out places."""
