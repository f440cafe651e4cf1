"""The commands that store, show and change memories, each beside what draws its answer."""
