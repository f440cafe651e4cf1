"""The commands that bring memories to mind and say why, each beside what draws its answer."""
