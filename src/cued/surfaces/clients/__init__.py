"""The clients that agents live in: where each keeps its configuration, how Cued is put into it and taken out again, and the proof."""
