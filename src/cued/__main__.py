"""The command as a module: `python -m cued` is `cued` of this very Python."""

from cued.surfaces.cli import main

if __name__ == "__main__":
    main()
