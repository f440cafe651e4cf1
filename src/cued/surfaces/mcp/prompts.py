"""The prompts that a person can pick in a client, from `prompts.toml`."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from msgspec import Struct, convert, field

from cued.errors import InputError


class Prompt(Struct, frozen=True, kw_only=True):
    """A prompt with one argument, which may be left out."""

    title: str
    about: str
    argument: str
    argument_about: str
    with_: str = field(name="with")
    without: str
    text: str


@cache
def instructions() -> str:
    """What the server tells every agent about using it well."""
    return files(__package__).joinpath("instructions.md").read_text("utf-8").strip()


@cache
def prompts() -> dict[str, Prompt]:
    """The prompts by name."""
    return convert(tomllib.loads(files(__package__).joinpath("prompts.toml").read_text("utf-8")), dict[str, Prompt])


def written(name: str, said: Mapping[str, str]) -> str:
    """The text of a prompt with its argument in it."""
    if name not in prompts():
        raise InputError("prompt", name, f"one of {', '.join(prompts())}")
    prompt = prompts()[name]
    what = said.get(prompt.argument, "").strip()
    return "\n\n".join((prompt.with_.replace("{}", what) if what else prompt.without, prompt.text))
