"""Writes the pictures of recalls to docs/images: `python -m tools.picture`."""

from tools.picture import IMAGES, pictures

for name, drawn in pictures().items():
    (IMAGES / name).write_text(drawn, "utf-8")
    print(f"written: {name}")
