"""The recall model, made again: pairs in, a small adapter over MiniLM out, with the figures that say whether it is better."""
