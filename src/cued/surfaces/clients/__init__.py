"""The clients that agents live in: where each keeps its configuration, how Cued is added and removed again, and a test that it works."""
