"""Looking after memories: what is done to a store now and then, by a command or on a schedule, and never inside a recall."""

AT_LEAST = 0.95
"""From which cosine on a memory gives way to a newer one that says the same."""
OLDER_THAN = "90d"
"""How long ago a memory was stored and last recalled before it counts as cool."""
IMPORTANCE_BELOW = 0.4
"""How unimportant it must be then."""
