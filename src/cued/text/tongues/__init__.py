"""Rules for single languages and scripts: particles, runs of letters, tones, words of change, of advice and of meals."""
