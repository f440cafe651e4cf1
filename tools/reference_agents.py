"""What agents get and how their clients are set up, from the tables of tools, clients and hooks."""

from cued.surfaces.clients.hooking import hooked
from cued.surfaces.clients.jsonc import put
from cued.surfaces.clients.known import CLIENTS, Client, editing
from cued.surfaces.mcp.tools import TOOLS
from tools.reference_policy import rows

_PLATFORMS = {"linux": "Linux", "darwin": "macOS", "win32": "Windows"}
_FOLDERS = {
    "~": dict.fromkeys(_PLATFORMS, "~"),
    "config": {"linux": "~/.config", "darwin": "~/Library/Application Support", "win32": "%APPDATA%"},
    "dotconfig": {"linux": "~/.config", "darwin": "~/.config", "win32": "%APPDATA%"},
    "claude": dict.fromkeys(_PLATFORMS, "~"),
    "codex": dict.fromkeys(_PLATFORMS, "~/.codex"),
}


def tools_table() -> str:
    """Each tool with what it is for and what a model may say."""
    return rows(("tool", "what it is for", "arguments"), ((f"`{t.verb}`", t.about, ", ".join(f"`{f}`" for f in t.fields)) for t in TOOLS))


def clients_setup() -> str:
    """For each client, its file on each platform and what belongs into it."""
    return "\n\n".join(_setup(name, client) for name, client in CLIENTS.items())


def hooks_setup() -> str:
    """The hooks of Claude Code, all of them, as they stand in its settings."""
    written = put("", ("hooks",), hooked({}, ("recall", "turns", "gate"), ("cued",), ())["hooks"])
    return f"```json\n{written.strip()}\n```"


def _setup(name: str, client: Client) -> str:
    project = ["--project", client.folder] if client.folder else []
    content = editing(client).put("", client.at, client.entry(["cued", "mcp", *project], {})).strip()
    here = f"; in a project `{client.here}`" if client.here else ""
    return f"### {client.title}\n\n`cued connect {name}`, or by hand into {_places(client)}{here}:\n\n```{client.kind}\n{content}\n```"


def _places(client: Client) -> str:
    found: dict[str, list[str]] = {}
    for platform, title in _PLATFORMS.items():
        first, _, rest = (client.paths.get(platform) or client.paths["linux"]).partition("/")
        found.setdefault(f"`{_FOLDERS[first][platform]}/{rest}`", []).append(title)
    if len(found) == 1:
        return next(iter(found))
    return ", ".join(f"{path} ({' and '.join(titles)})" for path, titles in found.items())
