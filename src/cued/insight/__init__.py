"""What the recall log says of a store in use."""
