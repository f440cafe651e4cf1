"""One module for each page: `page(visit)` calls the verbs and gives what the template shows."""
