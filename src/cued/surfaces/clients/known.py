"""The clients: where each keeps its configuration on each platform, under which name a server stands, and what an entry looks like."""

import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Literal

from msgspec import Struct

from cued.surfaces.clients import jsonc, toml

NAME: Final = "cued"
_US: Final = re.compile(r"(?:^|[/\\])cued(?:\.exe)?$|^cued\.surfaces\.cli$")
_NOTHING: Mapping[str, Any] = MappingProxyType({})


class Client(Struct, frozen=True, kw_only=True):
    """A client: its files, and how a server is written in them.

    A path begins with a name of `_folders`; `here` is the file inside a project, where the client reads one. `folder` is the client's
    variable for the folder that is open in it.
    """

    title: str
    paths: Mapping[str, str]
    under: str
    here: str = ""
    kind: Literal["json", "toml"] = "json"
    beside: Mapping[str, Any] = _NOTHING
    folder: str = ""
    next_step: str = "Restart it, or reload its MCP servers."

    @property
    def at(self) -> tuple[str, str]:
        """The path of the server's entry in the file."""
        return (self.under, NAME)

    def path(self, *, platform: str = sys.platform) -> Path:
        """The user's own configuration file on this platform."""
        spelled = self.paths.get(platform) or self.paths["linux"]
        first, _, rest = spelled.partition("/")
        return _folders(platform)[first] / rest

    def entry(self, command: list[str], env: Mapping[str, str]) -> dict[str, Any]:
        """What stands in the file for a server that this command starts."""
        return {**self.beside, "command": command[0], "args": command[1:], **({"env": dict(env)} if env else {})}


def starts_us(entry: Any) -> bool:  # noqa: ANN401 - whatever stands in a user's file
    """Whether an entry starts `cued mcp`, from whatever folder and by whatever launcher."""
    words = [entry.get("command"), *entry["args"]] if isinstance(entry, dict) and isinstance(entry.get("args"), list) else []
    return "mcp" in words and any(isinstance(word, str) and _US.search(word) for word in words[: words.index("mcp")])


def _folders(platform: str) -> dict[str, Path]:
    home = Path.home()
    roaming = Path(os.environ.get("APPDATA") or home / "AppData" / "Roaming")
    config = {"darwin": home / "Library" / "Application Support", "win32": roaming}
    plain = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config")
    return {
        "~": home,
        "config": config.get(platform, plain),
        "dotconfig": roaming if platform == "win32" else plain if platform != "darwin" else home / ".config",
        "claude": Path(os.environ.get("CLAUDE_CONFIG_DIR") or home),
        "codex": Path(os.environ.get("CODEX_HOME") or home / ".codex"),
    }


def hook_settings(*, here: Path | None) -> Path:
    """The settings of Claude Code that hooks stand in: the user's, or a project's."""
    if here is not None:
        return here / ".claude" / "settings.json"
    return Path(os.environ.get("CLAUDE_CONFIG_DIR") or Path.home() / ".claude") / "settings.json"


def editing(client: Client) -> Any:  # noqa: ANN401 - a module with parse, put and drop
    """What edits this client's files."""
    return jsonc if client.kind == "json" else toml


CLIENTS: Final = {
    "claude-code": Client(
        title="Claude Code",
        paths={"linux": "claude/.claude.json"},
        under="mcpServers",
        here=".mcp.json",
        beside={"type": "stdio"},
        next_step="Start a new session; `/mcp` shows it.",
    ),
    "claude-desktop": Client(
        title="Claude Desktop", paths={"linux": "config/Claude/claude_desktop_config.json"}, under="mcpServers", next_step="Restart it."
    ),
    "cursor": Client(
        title="Cursor", paths={"linux": "~/.cursor/mcp.json"}, under="mcpServers", here=".cursor/mcp.json", folder="${workspaceFolder}"
    ),
    "vscode": Client(
        title="VS Code",
        paths={"linux": "config/Code/User/mcp.json"},
        under="servers",
        here=".vscode/mcp.json",
        beside={"type": "stdio"},
        folder="${workspaceFolder}",
    ),
    "codex": Client(title="Codex", paths={"linux": "codex/config.toml"}, under="mcp_servers", kind="toml"),
    "zed": Client(
        title="Zed",
        paths={"linux": "dotconfig/zed/settings.json", "win32": "dotconfig/Zed/settings.json"},
        under="context_servers",
        here=".zed/settings.json",
    ),
    "windsurf": Client(title="Windsurf", paths={"linux": "~/.codeium/windsurf/mcp_config.json"}, under="mcpServers"),
}
