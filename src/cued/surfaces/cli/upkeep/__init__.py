"""The commands that look after what is stored and move it in and out, beside what draws their answers."""
