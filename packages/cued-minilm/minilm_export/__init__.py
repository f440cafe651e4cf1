"""Turns the published weights of all-MiniLM-L6-v2 into the files of the wheel; used at build time only."""
