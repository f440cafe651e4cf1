"""Where memories are kept: `memory` (the reference, in this process), `sqlite` (one file, many processes).

Both answer a search with the same Shelf, so the same contents give the same findings, bit for bit.
"""
