"""The Model Context Protocol: seven of the verbs as tools, with resources and prompts, over stdio or HTTP.

Above: an agent's client. Below: the table of verbs. `tools`, `arguments`, `answers`, `resources` and `prompts` are plain data and
functions; `server` alone knows the protocol's SDK, which is imported when a server starts.
"""
