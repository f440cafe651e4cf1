"""Where rows are kept: `memory` (in this process), `sqlite` (one file, many processes) and `postgres` (a server, many machines)."""
