"""`cued completion`: a shell's completion script, to be sourced from its start-up file."""

import click
from click.shell_completion import get_completion_class

from cued.surfaces.cli.grammar import Verb
from cued.surfaces.cli.output import write

_SHELLS = ("bash", "zsh", "fish")


@click.command(name="completion", cls=Verb, globals_shown=())
@click.argument("shell", type=click.Choice(_SHELLS))
@click.pass_context
def completion_command(ctx: click.Context, shell: str) -> None:
    """Print the completion script of SHELL: bash, zsh or fish.

    \b
    bash: cued completion bash >> ~/.bashrc
    zsh:  cued completion zsh >> ~/.zshrc
    fish: cued completion fish > ~/.config/fish/completions/cued.fish
    """  # noqa: D301 - click's mark for lines to be kept
    made = get_completion_class(shell)
    assert made is not None
    script = made(ctx.find_root().command, {}, "cued", "_CUED_COMPLETE")
    # not `source()`, which starts the shell to ask for its version
    write((script.source_template % script.source_vars()).encode())
