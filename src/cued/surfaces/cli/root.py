"""`cued` itself: its commands, each with its module and one line of help, and the text at the end of the help."""

import click

from cued import __version__
from cued.surfaces.cli.commands import Root

COMMANDS = {
    "demo": ("recalling.demo", "Show what this is, in one screenful."),
    "remember": ("keeping.remember", "Store a memory, or many from JSON lines."),
    "recall": ("recalling.recall", "Bring to mind what fits a cue, or nothing."),
    "bootstrap": ("recalling.bootstrap", "Show what a conversation should start with."),
    "explain": ("recalling.explain", "Show why each memory came back or did not."),
    "feedback": ("recalling.feedback", "Tell what a recall was good for."),
    "log": ("recalling.log", "Show what recalls came to."),
    "list": ("keeping.browse", "List memories, newest first."),
    "get": ("keeping.browse", "Show memories by id."),
    "stats": ("keeping.browse", "Count what is stored."),
    "tenants": ("keeping.browse", "List the tenants of the database."),
    "why": ("recalling.provenance", "Show what a memory comes from and led to."),
    "timeline": ("recalling.provenance", "Show what was stored around a memory or a time."),
    "update": ("keeping.change", "Change a memory."),
    "forget": ("keeping.change", "Hide memories, erase them, or undo that."),
    "quarantine": ("keeping.trusting", "Keep memories from recalls until promoted."),
    "promote": ("keeping.trusting", "Let memories out of quarantine, or vouch for them."),
    "consolidate": ("upkeep.consolidate", "Let near-duplicates give way to a newer memory."),
    "sweep": ("upkeep.sweeping", "Show what has expired, or erase it."),
    "cool": ("upkeep.sweeping", "List memories that could go."),
    "reembed": ("upkeep.sweeping", "Make the vectors anew after a change of model."),
    "export": ("upkeep.transfer", "Write a tenant's memories as JSON lines."),
    "import": ("upkeep.transfer", "Store memories from elsewhere."),
    "backup": ("upkeep.backup", "Copy the whole database into one file."),
    "restore": ("upkeep.backup", "Make the database from such a copy."),
    "copy": ("upkeep.copying", "Copy all that a store keeps into another."),
    "check": ("upkeep.checking", "Look for damage, or repair it."),
    "erasures": ("upkeep.checking", "List what was erased and when."),
    "mcp": ("agents.mcp", "Serve an agent's tools over stdio."),
    "connect": ("agents.connect", "Give an agent's client these memories."),
    "hook": ("agents.hook", "Answer a hook of Claude Code."),
    "serve": ("serving.serve", "Serve the memories over HTTP."),
    "db": ("serving.database", "Prepare a PostgreSQL database."),
    "token": ("serving.token", "Make, list and revoke the server's tokens."),
    "policy": ("tuning.policy", "List, show, compare and check policies, and what was learnt."),
    "insight": ("tuning.insight", "Show what the recall log says as a whole."),
    "doctor": ("tuning.doctor", "Say what is wrong, and what mends it."),
    "replay": ("tuning.replay", "Show what another policy would have done."),
    "label": ("tuning.label", "Say which recalls were right, a key each."),
    "tune": ("tuning.tune", "Learn a policy from your own traffic."),
    "eval": ("tuning.eval", "Measure policies on questions with known answers."),
    "completion": ("completion", "Print a shell's completion script."),
}

_EPILOG = """\b
Exit codes:
  0    done; a recall that finds nothing is done too
  2    the input or the usage was refused; the message says what is accepted
  3    no such memory
  4    the store: not a Cued database, not to be read, damaged, busy, full, read-only
  5    the embedder: not installed, not reachable, or talking nonsense
  6    the tenant has or asks as much as its quota allows
  1, 6 of `cued doctor`: something fails; something is to be looked at
  130  interrupted, or no was the answer to a question

Results go to stdout (with --json as JSON), everything else to stderr. NO_COLOR is honoured."""


_HELP = {"max_content_width": 100, "help_option_names": ["-h", "--help"]}


@click.group(name="cued", cls=Root, lazy=COMMANDS, epilog=_EPILOG, context_settings=_HELP)
@click.version_option(version=__version__, prog_name="cued", message="%(prog)s %(version)s")
def cued_command() -> None:
    """Cued recall for AI agents: the right memory at the right moment, or nothing at all, and it can show why.

    Start with `cued demo`. Then: cued remember "Prefers tea." and cued recall "what shall I pour?"
    """
