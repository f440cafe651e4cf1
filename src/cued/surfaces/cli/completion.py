"""`cued completion`: a shell's completion script, to be sourced from its start-up file."""

import click
from click.shell_completion import BashComplete, FishComplete, ZshComplete

from cued.surfaces.cli.commands import Command
from cued.surfaces.cli.output import say

_SHELLS = {"bash": BashComplete, "zsh": ZshComplete, "fish": FishComplete}


@click.command(name="completion", cls=Command, globals_shown=())
@click.argument("shell", type=click.Choice(tuple(_SHELLS)))
@click.pass_context
def completion_command(ctx: click.Context, shell: str) -> None:
    """Print the completion script of SHELL: bash, zsh or fish.

    \b
    bash: cued completion bash >> ~/.bashrc
    zsh:  cued completion zsh >> ~/.zshrc
    fish: cued completion fish > ~/.config/fish/completions/cued.fish
    """  # noqa: D301 - click's mark for lines to be kept
    script = _SHELLS[shell](ctx.find_root().command, {}, "cued", "_CUED_COMPLETE")
    # not `source()`, which starts the shell to ask for its version
    say(script.source_template % script.source_vars())
