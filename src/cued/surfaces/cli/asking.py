"""Asking before something is erased for good; without a terminal to answer at, `--yes` is needed."""

import sys

import click


def ask(question: str) -> None:
    """Go on only if the answer is yes."""
    _somebody_there()
    if not click.confirm(question, err=True):
        raise click.Abort


def ask_for(name: str, question: str) -> None:
    """Go on only if exactly this name is typed."""
    _somebody_there()
    if click.prompt(question, err=True, default="", show_default=False) != name:
        click.echo("That is not the name; nothing is erased.", err=True)
        raise click.Abort


def _somebody_there() -> None:
    if not sys.stdin.isatty():
        raise click.UsageError("this asks first, and nobody is there to answer: add --yes")
