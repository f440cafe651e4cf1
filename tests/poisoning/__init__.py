"""Poisoning: what an attacker who can write as a tool, an agent or an import gets into a recall, counted attack by attack."""
