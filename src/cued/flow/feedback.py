"""feedback: what the outcome of a recall says about its memories. Pure: the store applies it in one step, by `stores.use`."""

from collections.abc import Sequence

from cued.model import Feedback
from cued.policy.spec import Settle


def feedback(recall_id: str, *, cited: Sequence[str] = (), bad: Sequence[str] = (), rules: Settle) -> Feedback:
    """These verdicts on a recall, with the policy's factors and bounds; one id may be given as a plain string."""
    least, most = rules.boost_range
    return Feedback(
        recall_id=recall_id,
        cited=_listed(cited),
        bad=_listed(bad),
        cited_factor=rules.cited,
        bad_factor=rules.bad,
        least=least,
        most=most,
    )


def _listed(ids: Sequence[str]) -> tuple[str, ...]:
    return (ids,) if isinstance(ids, str) else tuple(dict.fromkeys(ids))
