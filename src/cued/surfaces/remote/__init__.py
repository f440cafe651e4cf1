"""A handle of memories on a server: `cued.connect` gives what `cued.open` gives, over HTTP.

Above: users of a handle, who need not know where the memories are. Below: the routes of `cued serve`. `calls` turns a verb and its
request into HTTP by the same tables that the server is made from, `connections` sends it, `nouns` and `raised` read what comes back.
"""
