"""How memories give way to newer ones and come back: pure rules, the same for every store."""
