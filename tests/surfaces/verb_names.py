"""What a verb is called elsewhere, where that is not its own name."""

_HANDLE = {"import": "import_file", "insight_of_all": "insight", "tune_for_all": "tune"}
_COMMAND = {
    **dict.fromkeys(("remember_turns", "map", "conflicts", "keep_both"), ""),
    "remember_many": "remember --jsonl",
    "restore": "forget --undo",
    "erase_everything": "forget --all",
    "merges": "consolidate --list",
    "unmerge": "consolidate --undo",
    "insight_of_all": "insight --all-tenants",
    "compare": "insight --compare",
    "unlabelled": "label --list",
    "tune_for_all": "tune --all-tenants",
    "policy_save": "policy save",
    "policy_history": "policy history",
    "policy_rollback": "policy rollback",
}


def handle_of(verb):
    """The method of the tenant's handle, or of the open store."""
    return _HANDLE.get(verb.name, verb.name)


def command_of(verb):
    """The verb as the command line has it, "" where it has none."""
    return _COMMAND.get(verb.name, verb.name)
