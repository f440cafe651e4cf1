"""The policies that ship, one TOML file each, and how any policy is found: by preset name, by file, or as given."""

from functools import cache
from pathlib import Path

from cued.errors import InputError
from cued.folders import nameable
from cued.policy.parse import parse
from cued.policy.spec import Policy

DEFAULT = "cued"
_FOLDER = Path(__file__).parent


def names() -> tuple[str, ...]:
    """The names of all presets, the default first."""
    found = sorted(file.stem for file in _FOLDER.iterdir() if file.suffix == ".toml")
    return (DEFAULT, *(name for name in found if name != DEFAULT))


@cache
def preset(name: str) -> Policy:
    """The preset of this name."""
    if name not in names():
        raise InputError("policy", name, f"one of {', '.join(names())}")
    return parse(text_of(name), name=name)


def text_of(name: str) -> str:
    """A preset's file as it is written, with the comments that say what its source left open."""
    return (_FOLDER / f"{name}.toml").read_text("utf-8")


def load_policy(policy: str | Path | Policy = DEFAULT) -> Policy:
    """The policy that is meant: one already made, a TOML file's, or a preset's by name."""
    if isinstance(policy, Policy):
        return policy
    if not isinstance(policy, str | Path):
        raise InputError("policy", policy, f"a policy, a TOML file, or one of {', '.join(names())}")
    path = Path(policy)
    if isinstance(policy, Path) or path.suffix == ".toml":
        if not nameable("policy", path).is_file():
            raise InputError("policy", str(policy), f"an existing TOML file, or one of {', '.join(names())}")
        try:
            return parse(path.read_text("utf-8"), name=path.stem)
        except (OSError, UnicodeDecodeError) as error:
            raise InputError("policy", str(policy), f"a TOML file in UTF-8 that can be read ({error})") from error
    if policy not in names():
        raise InputError("policy", policy, f"one of {', '.join(names())}, or the path of a TOML file")
    return preset(policy)
