"""Walks over who claims whom, without recursion: each memory is visited once, however long the chain."""

from collections.abc import Callable, Iterable, Mapping, Sequence

Links = Mapping[str, Sequence[str]]


def closure(starts: Iterable[str], links: Callable[[str], Sequence[str]]) -> dict[str, Sequence[str]]:
    """Everything that can be reached from these, each with its own links."""
    found: dict[str, Sequence[str]] = {}
    ahead = list(starts)
    while ahead:
        each = ahead.pop()
        if each not in found:
            found[each] = links(each)
            ahead += found[each]
    return found


def upward(links: Links) -> tuple[list[str], bool]:
    """All of these in an order in which whatever one links to comes before it, and whether a circle made that impossible."""
    order: list[str] = []
    done: dict[str, bool] = {}
    circular = False
    for start in links:
        if start in done:
            continue
        done[start] = False
        open_ = [(start, iter(links[start]))]
        while open_:
            node, ahead = open_[-1]
            following = next(ahead, None)
            if following is None:
                open_.pop()
                done[node] = True
                order.append(node)
            elif following not in done:
                done[following] = False
                open_.append((following, iter(links[following])))
            elif not done[following]:
                circular = True
    return order, circular


def components(links: Links) -> dict[str, int]:
    """The number of the circle that each belongs to: two have one number where each can be reached from the other (Kosaraju)."""
    back: dict[str, list[str]] = {each: [] for each in links}
    for each, reached in links.items():
        for following in reached:
            back[following].append(each)
    number: dict[str, int] = {}
    for place, start in enumerate(reversed(upward(links)[0])):
        ahead = [start]
        while ahead:
            each = ahead.pop()
            if each not in number:
                number[each] = place
                ahead += back[each]
    return number
