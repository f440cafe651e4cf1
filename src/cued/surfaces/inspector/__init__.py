"""The inspector: pages for the person who asks why an agent did, or did not, remember something. At `/` of `cued serve`.

Above: a browser. Below: the verbs, as every other surface has them; no page reads the store. `mount` has the routes, `visiting` says who
looks, `pages/` has one module a page (what it asks for, and pure functions from answers to what its template shows), `doing` what buttons
do and how to undo it. `templates/` and `static/` are what a browser gets: no script or style stands in a page itself.
"""
