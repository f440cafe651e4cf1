"""The reader: one tenant's memories as columns in memory, and the answer to a lookup from them, the same bits for every keeper."""
