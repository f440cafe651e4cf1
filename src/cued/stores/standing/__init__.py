"""Whether a memory stands, for a scope at a time, and if not, why: said once, for gates, listings, explanations and upkeep."""
