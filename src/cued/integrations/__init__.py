"""Cued in the frameworks that people already use: each adapter is thin over a handle and is imported only by name.

Above: the framework's own classes, which an adapter implements to the letter. Below: `Memories` and `Tenant`. Nothing here is imported by
`import cued`, and an adapter imports one framework, which is an extra of its own: `pip install 'cued[langgraph]'`.
"""
