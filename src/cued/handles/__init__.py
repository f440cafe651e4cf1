"""What a user holds: an open store, the handle of one tenant, a conversation. Nothing that reads memories exists without one."""
