"""Where rows are kept: `memory` (in this process) and `sqlite` (one file, many processes)."""
