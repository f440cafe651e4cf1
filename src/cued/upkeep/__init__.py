"""Looking after memories: what is done to a store now and then, by a command or on a schedule, and never inside a recall."""
