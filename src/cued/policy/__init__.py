"""Policies: all the numbers of a recall, as data. `spec` says what there is, `parse` reads and writes it, `presets/` holds ours."""
