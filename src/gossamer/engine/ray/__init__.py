"""How do workers run on many machines? One station on each, which Ray carries, and a supervisor that assigns places."""
