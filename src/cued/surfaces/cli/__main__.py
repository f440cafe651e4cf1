"""`python -m cued.surfaces.cli` is `cued`."""

from cued.surfaces.cli import main

main()
