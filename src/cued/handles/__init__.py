"""The handles that users hold: an open store, one tenant, a conversation. Memories can only be read through one."""
