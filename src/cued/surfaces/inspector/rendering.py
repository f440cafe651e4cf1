"""From templates to pages: everything but our own markup is escaped, and a page may load only what this server has."""

import json
from collections.abc import Mapping
from functools import cache
from hashlib import blake2b
from importlib import resources
from typing import Any, NamedTuple

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.responses import HTMLResponse, Response

from cued.surfaces.inspector.wording import ago, clipped, day, figure, moment, percent, plural, unhidden

CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": CSP,
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "X-Frame-Options": "DENY",
}
_TYPES = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}


@cache
def templates() -> Environment:
    """The templates, with every value escaped; a value that a view left out is an error."""
    environment = Environment(
        loader=PackageLoader("cued.surfaces.inspector"), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= {
        "ago": ago,
        "clipped": clipped,
        "day": day,
        "figure": figure,
        "json": json.dumps,
        "moment": moment,
        "percent": percent,
        "plural": plural,
        "unhidden": unhidden,
    }
    environment.globals["static"] = f"/inspect/static/{static_mark()}"
    environment.globals["ui"] = environment.get_template("macros.html").module
    return environment


def drawn(name: str, context: Mapping[str, Any], *, part: str = "", status: int = 200) -> Response:
    """A page, or one part of it: the block of that name."""
    template = templates().get_template(f"{name}.html")
    block = template.blocks.get(part)
    text = template.render(context) if block is None else "".join(block(template.new_context(dict(context))))
    return HTMLResponse(text, status, headers=_HEADERS)


class File(NamedTuple):
    """A file that pages load."""

    body: bytes
    type: str


@cache
def static_files() -> dict[str, File]:
    """The files that pages load, by name."""
    files = ((file.name, file) for file in resources.files(__package__).joinpath("static").iterdir())
    return {name: File(file.read_bytes(), kind) for name, file in sorted(files) if (kind := _TYPES.get(name.rpartition(".")[2]))}


@cache
def static_mark() -> str:
    """A digest of all these files: it is a folder in their addresses, so that another version has other addresses."""
    digest = blake2b(digest_size=8)
    for name, file in static_files().items():
        digest.update(f"{name} {len(file.body)} ".encode() + file.body)
    return digest.hexdigest()
