"""Whether a memory stands, for a scope at a time, and if not, why. Gates, listings, explanations and upkeep all ask here."""
