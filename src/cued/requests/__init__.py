"""What a caller may say, as typed fields: each checked, or refused in words that say what would be accepted."""
