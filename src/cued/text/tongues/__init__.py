"""What single languages and scripts need to have their words told: particles, runs of letters, tones, and words of change and of meals."""
