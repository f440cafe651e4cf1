"""What the recalls of a server say as a whole, as `handles.measuring` does it here."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cued.policy.parse import dump
from cued.policy.presets import load_policy
from cued.policy.spec import Policy
from cued.ports import Progress, silent
from cued.requests.insights import LAST, TARGET_RATE, Grouping, Judgement, Labelled, Labels, When
from cued.surfaces.remote import nouns
from cued.surfaces.remote.remote_bound import RemoteBound, preset_named

if TYPE_CHECKING:
    from cued.insight.comparing import Compared
    from cued.insight.doctor import Diagnosis
    from cued.insight.learnt import History
    from cued.insight.overview import Insight
    from cued.insight.pairs import Label, Unjudged
    from cued.insight.replay import Replayed
    from cued.insight.tuning import Tuned


class RemoteMeasuring(RemoteBound):
    """The verbs that measure, replay and learn."""

    def insight(self, *, since: When = None, until: When = None, every: str | None = None, by: Grouping = "none") -> "Insight":
        """What `Tenant.insight` gives."""
        from cued.insight.overview import Insight  # noqa: PLC0415 - as the handle has it

        return nouns.noun(self._ask("insight", {"since": since, "until": until, "every": every, "by": by}), Insight)

    def doctor(self) -> "Diagnosis":
        """What `Tenant.doctor` gives."""
        from cued.insight.doctor import Diagnosis  # noqa: PLC0415 - as the handle has it

        return nouns.noun(self._ask("doctor"), Diagnosis)

    def replay(
        self, policy: str | Policy | None = None, *, last: int = LAST, recall_id: str | None = None, progress: Progress = silent
    ) -> "Replayed":
        """What `Tenant.replay` gives; a policy is a preset's name."""
        from cued.insight.replay import Replayed  # noqa: PLC0415 - as the handle has it

        del progress
        return nouns.noun(self._ask("replay", {"policy": preset_named(policy), "last": last, "recall_id": recall_id}), Replayed)

    def compare(self) -> "Compared":
        """What `Tenant.compare` gives."""
        from cued.insight.comparing import Compared  # noqa: PLC0415 - as the handle has it

        return nouns.noun(self._ask("compare"), Compared)

    def tune(
        self,
        pairs: Sequence[Labelled | Mapping[str, Any]] = (),
        *,
        source: Labels = "judged",
        target: float = TARGET_RATE,
        apply: bool = False,
        progress: Progress = silent,
    ) -> "Tuned":
        """What `Tenant.tune` gives."""
        del progress
        return nouns.tuned(self._ask("tune", {"pairs": list(pairs), "source": source, "target": target, "apply": apply}))

    def policy_save(self, policy: str | Policy, *, note: str = "") -> "History":
        """What `Tenant.policy_save` gives."""
        from cued.insight.learnt import History  # noqa: PLC0415 - as the handle has it

        return nouns.noun(self._ask("policy_save", {"toml": dump(load_policy(policy)), "note": note}), History)

    def policy_history(self) -> "History":
        """What `Tenant.policy_history` gives."""
        from cued.insight.learnt import History  # noqa: PLC0415 - as the handle has it

        return nouns.noun(self._ask("policy_history"), History)

    def policy_rollback(self, *, to: int | None = None) -> "History":
        """What `Tenant.policy_rollback` gives."""
        from cued.insight.learnt import History  # noqa: PLC0415 - as the handle has it

        return nouns.noun(self._ask("policy_rollback", {"to": to}), History)

    def unlabelled(self, *, limit: int = 20) -> "tuple[Unjudged, ...]":
        """What `Tenant.unlabelled` gives."""
        from cued.insight.pairs import Unjudged  # noqa: PLC0415 - as the handle has it

        return nouns.noun(self._ask("unlabelled", {"limit": limit})["recalls"], tuple[Unjudged, ...])

    def label(self, recall_id: str, verdict: Judgement) -> "Label":
        """What `Tenant.label` gives."""
        from cued.insight.pairs import Label  # noqa: PLC0415 - as the handle has it

        return nouns.noun(self._ask("label", {"recall_id": recall_id, "verdict": verdict}), Label)
