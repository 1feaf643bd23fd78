"""When may a host be visited, and may it be visited at all?"""
