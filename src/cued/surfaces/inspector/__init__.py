"""The inspector: pages for the person who asks why an agent did, or did not, remember something. At `/` of `cued serve`.

Above: a browser. Below: the verbs, as on every other surface; no page reads the store. `mount` has the routes, `visiting` says who looks,
`pages/` has one module for each page (what it asks for, and pure functions from answers to what its template shows), `doing` what
buttons do and how to undo it. `templates/` and `static/` are what a browser gets: no page has a script or a style in itself.
"""
