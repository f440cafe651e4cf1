"""Makes the recall model again: pairs in, a small adapter over MiniLM out, with the figures that say whether it is better."""
