"""Text, pure and fast: words of any script, entities, time expressions and token estimates; import from the modules."""
