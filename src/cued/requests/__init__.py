"""What a caller may say: each request once, as typed fields with a line on each, read by one reader that refuses in words."""
