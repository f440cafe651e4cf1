"""What single languages and scripts need to have their words told: Korean and Thai particles, letters, Vietnamese tones, change."""
