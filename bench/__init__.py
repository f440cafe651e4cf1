"""How fast Cued is, and what it costs: `python -m bench`, or `make bench`.

Ingest and recall in one tenant and over many with the vectors given, so that the embedder does not hide the store, and
end to end with MiniLM; each figure beside its budget. Every case runs in a process of its own, so that its memory is its
own and no case warms another. Everything is made up from fixed seeds: no data is needed and each run measures the same work.
"""
