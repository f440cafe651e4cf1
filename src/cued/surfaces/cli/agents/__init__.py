"""Commands for agents and their clients: the server of tools, a client's configuration, a session's hooks."""
