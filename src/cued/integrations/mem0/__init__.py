"""mem0's `Memory` and `AsyncMemory` over Cued: `from cued.integrations.mem0 import Memory` in the place of `from mem0 import Memory`.

The package of mem0 is not needed. Without an extractor nothing asks an LLM: messages are kept as they are, as with `infer=False`.
"""

from cued.integrations.mem0.async_memory import AsyncMemory
from cued.integrations.mem0.mem0_memory import Memory

__all__ = ["AsyncMemory", "Memory"]
