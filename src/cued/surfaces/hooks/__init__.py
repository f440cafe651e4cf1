"""The hooks of an agent's session: what Cued adds at its start and at each prompt, and what it may store when a turn ends.

Above: Claude Code, which runs a command at each event and hands it JSON. Below: the table of verbs.
"""
