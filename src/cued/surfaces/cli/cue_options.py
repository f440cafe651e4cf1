"""The options that describe a cue and bend one recall, the same for `recall` and `explain`."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from cued.model import CHANNELS, KINDS

_Command = TypeVar("_Command", bound=Callable[..., Any])

_OPTIONS = (
    click.option("--goal", help="What the agent is working towards."),
    click.option("--step", help="The step it is at."),
    click.option("--open", "open_questions", multiple=True, metavar="QUESTION", help="An open question; may be repeated."),
    click.option("--scope", help="A project: look there and in what is global. Default: global alone."),
    click.option("--tag", "tags", multiple=True, help="Only memories with this tag; may be repeated."),
    click.option("--kind", "kinds", multiple=True, type=click.Choice(KINDS), help="Only this kind; may be repeated."),
    click.option("--as-of", metavar="TIME", help="Recall as it would have been then, such as 2025-03-01."),
    click.option("--intent", type=click.Choice(["past", "present", "neutral"]), help="Overrule what the words say of time."),
    click.option("--present", multiple=True, metavar="ID", help="A memory already in the prompt; may be repeated."),
    click.option("--without", multiple=True, type=click.Choice(CHANNELS), help="Shut this channel; may be repeated."),
)
_DECIDING = (
    click.option("--limit", type=int, help="At most so many memories."),
    click.option("--floor", type=float, help="The least relevance that may speak, from 0 to 1."),
    click.option("--budget", "budget_tokens", type=int, metavar="TOKENS", help="At most so many tokens in the block."),
    click.option("--window", "window_tokens", type=int, metavar="TOKENS", help="The model's window; memories take a quarter at most."),
    click.option("--compact", flag_value=True, default=None, type=bool, help="What does not fit is shortened, not left out."),
    click.option("--recency-weight", type=float, help="From 0 to 1, for policies that trade recency."),
    click.option("--no-decay", "decay", flag_value=False, default=None, type=bool, help="Let nothing fade with time."),
)


def cue_options(command: _Command) -> _Command:
    """Add the options to a command, in the order written above."""
    for option in reversed((*_OPTIONS, *_DECIDING)):
        command = option(command)
    return command


def stated(options: dict[str, Any]) -> dict[str, Any]:
    """Give the options that were used, as a request's fields."""
    return {name: list(value) if isinstance(value, tuple) else value for name, value in options.items() if value not in (None, ())}
