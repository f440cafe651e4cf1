"""The handle of memories that a server has: `cued.connect` gives what `cued.open` gives, over HTTP.

Above: whoever holds a handle, and need not know where the memories are. Below: the routes of `cued serve`. `calls` turns a verb and its
request into HTTP by the same tables that the server is made from, `connections` sends it, `nouns` and `raised` read what comes back.
"""
