"""The verbs over HTTP: `cued serve`. Starlette carries what `surfaces.verbs` does; only that command loads any of it.

A request passes `guard` (host, origin, token, rate), then `routes` says which verb it asks for, `asking` reads it, `workers` runs it in
a thread when its tenant's turn comes, and `problems` words what is refused.
"""
