"""The commands about policies: to look at, compare and measure them."""
