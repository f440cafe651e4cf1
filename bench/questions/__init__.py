"""What a cue asks for besides its words, asked of small stores of our own writing: state, whose words, other languages."""
