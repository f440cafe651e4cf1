"""render: the block for the prompt. Recalled text is evidence, never policy: it cannot close its block or pass for an instruction."""

from cued.flow.forms import FORMS, Form, Shown
from cued.flow.table import Part, Side, Table
from cued.flow.trust import unverified
from cued.model import Memory


def run(table: Table) -> None:
    """Write the block of the core memories and the chosen rows; "" when there is neither."""
    chosen = table.survivors()
    core = "".join(core_line(table, memory) for memory in table.core)
    rest = _part(table, table.part, form(table).summary(*table.summary)) if table.summary else _rows(table, chosen)
    body = _part(table, "core", core) + rest
    table.block = form(table).opening + body + form(table).closing if body else ""


def _rows(table: Table, chosen: list[int]) -> str:
    """The chosen rows' lines, what is unverified under a heading of its own where something else is chosen too."""
    told = {row: line(table, row) + _beside(table, row) for row in chosen}
    apart = [row for row in chosen if table.mixed and unverified(table, row)]
    rest = "".join(told[row] for row in chosen if row not in apart)
    return _part(table, table.part, rest) + _part(table, "unverified", "".join(told[row] for row in apart))


def form(table: Table) -> Form:
    """The policy's form."""
    return FORMS[table.policy.render.form]


def frame(table: Table) -> str:
    """What a block of this form has around its parts."""
    return form(table).opening + form(table).closing


def around(table: Table, part: Part) -> str:
    """What stands around the lines of a part; recalled memories that are alone in the block need no heading."""
    return "" if part == "recalled" and not table.core else form(table).heading[part] + form(table).ending[part]


def core_line(table: Table, memory: Memory) -> str:
    """The line of a core memory."""
    return form(table).line(Shown(memory=memory, at=table.now, part="core"))


def line(table: Table, row: int, piece: str | None = None) -> str:
    """The line of one row: whole, or the piece of it that was given or decided on."""
    piece = table.pieces.get(row) if piece is None else piece
    part: Part = "unverified" if table.mixed and unverified(table, row) else table.part
    if (row, part, piece) not in table.lines:
        duplicates = len(table.duplicates.get(row, ()))
        shown = Shown(memory=table.memories[row], at=table.now, part=part, piece=piece, duplicates=duplicates)
        table.lines[row, part, piece] = form(table).line(shown)
    return table.lines[row, part, piece]


def context_line(table: Table, row: int, of: int, side: Side) -> str:
    """The line of a turn that stood beside a chosen one."""
    return form(table).line(Shown(memory=table.memories[row], at=table.now, side=side, of=table.ids[of]))


def _beside(table: Table, row: int) -> str:
    return "".join(context_line(table, other, row, side) for other, side in table.context.get(row, ()))


def _part(table: Table, part: Part, lines: str) -> str:
    if not lines or not around(table, part):
        return lines
    return form(table).heading[part] + lines + form(table).ending[part]
