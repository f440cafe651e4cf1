"""The commands that let others reach the memories: the server, and the tokens that it asks for."""
