"""Adapters for agent frameworks: each is a thin layer over a handle, and is imported only by name.

Above: the framework's own classes, whose interfaces an adapter implements. Below: `Memories` and `Tenant`. `import cued` imports nothing
of this, and an adapter imports one framework, which is an extra of its own: `pip install 'cued[langgraph]'`.
"""
