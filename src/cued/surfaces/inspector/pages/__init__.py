"""One module a page: `page(visit)` asks the verbs and gives what the template shows."""
