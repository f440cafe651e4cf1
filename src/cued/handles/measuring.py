"""The verbs that look at recalls as a whole: what the log says, what is wrong, what another policy would do, and learning a better one."""

# What looks at many recalls is loaded when it is asked for, so that `import cued` stays light.
# ruff: noqa: PLC0415

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, get_args

import msgspec
from msgspec.structs import replace

from cued import engine
from cued.errors import InputError
from cued.handles.bound import Bound
from cued.handles.usual_policies import EVERYBODY, Usual
from cued.handles.vouching import refuse_all_but_users
from cued.model import LogQuery, RecallEntry
from cued.model.words import LABELS_DOCUMENT, POLICY_DOCUMENT
from cued.policy.calibration import digest
from cued.policy.presets import load_policy
from cued.policy.spec import Policy
from cued.ports import Progress, Store, silent
from cued.requests.checks import label, moment, one_of, whole
from cued.requests.cue import CueRequest, asked_for
from cued.requests.insights import LAST, TARGET_RATE, Grouping, Judgement, Labelled, Labels, When
from cued.stores.rewriting import rewritten
from cued.text.durations import parse_duration

if TYPE_CHECKING:
    from cued.insight.climbing import Start
    from cued.insight.comparing import Compared
    from cued.insight.doctor import Diagnosis
    from cued.insight.learnt import History
    from cued.insight.overview import Insight, Window
    from cued.insight.pairs import Label, Unjudged
    from cued.insight.replay import Replayed
    from cued.insight.tuning import Tuned

_LOG = 10_000


class Measuring(Bound):
    """Insight, doctor, replay, compare, tune, label, and the history of what was learnt."""

    def insight(self, *, since: When = None, until: When = None, every: str | None = None, by: Grouping = "none") -> "Insight":
        """What the recall log says as a whole: rates over time, how figures are spread, what each channel adds."""
        from cued.insight.overview import insight

        self._settler.flush()
        return insight(self.name, self._store, window(since, until, every, by))

    def doctor(self) -> "Diagnosis":
        """What is wrong with this tenant's memory, line by line, with figures and the command that mends it."""
        from cued.insight.doctor import diagnose
        from cued.insight.observing import observe

        self._settler.flush()
        return diagnose(observe(self.name, self._store, self.policy, embedder=self._parts.embedder, now=self._clock()))

    def replay(
        self, policy: str | Policy | None = None, *, last: int = LAST, recall_id: str | None = None, progress: Progress = silent
    ) -> "Replayed":
        """What a policy would have made of the last kept recalls, or of one of them side by side; nothing is changed."""
        from cued.insight.replay import replay, replay_one

        self._settler.flush()
        chosen = self.policy if policy is None else load_policy(policy)
        if recall_id is not None:
            return replay_one(self.name, self._store, chosen, label("recall_id", recall_id))
        return replay(self.name, self._store, chosen, last=last, progress=progress)

    def compare(self) -> "Compared":
        """What the newest recalls say of the policies that were shown, and of the one that decided beside."""
        from cued.insight.comparing import compare

        self._settler.flush()
        return compare(self.name, self._store)

    def tune(
        self,
        pairs: Sequence[Labelled | Mapping[str, Any]] = (),
        *,
        source: Labels = "judged",
        target: float = TARGET_RATE,
        apply: bool = False,
        progress: Progress = silent,
    ) -> "Tuned":
        """A policy learnt from these labelled cues, or from labels and feedback, or of the log its floor; applied only if it helps."""
        from cued.insight.tuning import tune, tune_floor

        if apply:
            refuse_all_but_users(self.trust, "changes what decides")
        self._settler.flush()
        if pairs:
            tuned = tune(self._asked_now([_labelled(pair) for pair in pairs]), source="labelled pairs", progress=progress)
        elif source == "judged":
            tuned = tune(self._as_kept(), source="judged recalls", progress=progress)
        else:
            tuned = tune_floor(self._under_this_policy(), self.policy, target=target)
        if not apply or not tuned.helps:
            return tuned
        return _applied(self._store, self.name, self._usual, tuned, at=self._clock())

    def policy_save(self, policy: str | Policy, *, note: str = "") -> "History":
        """The history with this policy as its newest version, which decides from now on; `policy_rollback` goes back."""
        from cued.insight.learnt import saved

        refuse_all_but_users(self.trust, "changes what decides")
        chosen, before, at = load_policy(policy), self.policy, self._clock()
        return _learnt(self._store, self.name, self._usual, lambda old: saved(old, chosen, before=before, note=note.strip(), at=at))

    def policy_history(self) -> "History":
        """Every policy that was learnt or saved for this tenant, with its report, and which of them is applied."""
        from cued.insight.learnt import history

        return history(self._store.document(self.name, POLICY_DOCUMENT))

    def policy_rollback(self, *, to: int | None = None) -> "History":
        """The history after an earlier policy was applied again: the one before, or that of this number, 0 for the usual one."""
        from cued.insight.learnt import history, rolled_back

        refuse_all_but_users(self.trust, "changes what decides")
        to = to if to is None else whole("to", to, least=0)
        if not to and self._store.document(self.name, POLICY_DOCUMENT) is None:
            return history(None)
        return _learnt(self._store, self.name, self._usual, lambda old: rolled_back(old, to))

    def unlabelled(self, *, limit: int = 20) -> "tuple[Unjudged, ...]":
        """Kept recalls that nobody has judged, to be labelled."""
        from cued.insight.pairs import unlabelled

        self._settler.flush()
        return unlabelled(self.name, self._store, limit=whole("limit", limit, least=1))

    def label(self, recall_id: str, verdict: Judgement) -> "Label":
        """Say of a recall whether what came back was right, was wrong, or nothing in the store was right; the last word counts."""
        from cued.insight.pairs import Label, labelled

        refuse_all_but_users(self.trust, "says what a policy is learnt from")
        one_of("verdict", verdict, get_args(Judgement))
        self._settler.flush()
        lines = self._store.log(self.name, LogQuery(recall_id=label("recall_id", recall_id), limit=1))
        if not lines:
            raise InputError("recall_id", recall_id, "the id of a settled recall that is still in the log")
        said = Label(recall_id=recall_id, verdict=verdict, chosen=lines[0].chosen, at=self._clock())
        _rewritten(self._store, self.name, LABELS_DOCUMENT, lambda old: labelled(old, said))
        return said

    def _asked_now(self, cues: Sequence[Labelled]) -> "list[Start]":
        """The labelled cues with what is stored now, as each start's channels read it."""
        from cued.insight.climbing import Start
        from cued.insight.knobs import widened
        from cued.insight.pairs import LabelledPair
        from cued.insight.tuning import enough

        enough(len(cues))
        self._store.get(self.name, list(dict.fromkeys(gold for cue in cues for gold in cue.gold_ids)))
        starts, now = list[Start](), self._clock()
        for policy in self._starts():
            pairs = list[LabelledPair]()
            for number, cue in enumerate(cues):
                at = cue.asked_at or now
                said = CueRequest(text=cue.query, goal=cue.goal, step=cue.step, open_questions=cue.open_questions, scope=cue.scope)
                asked = asked_for(said, {"now": at}, policy=None, usual=policy, now=now).cue
                before = starts[0].pairs[number].evidence.lookup if starts else None
                known = before.dense if before is not None and not (cue.goal or cue.step or cue.open_questions) else None
                question = engine.Question(tenant=self.name, cue=asked, recall_id=f"pair-{number:05}", embedded=known)
                pairs.append(LabelledPair(evidence=engine.gather(question, widened(policy), self._parts), at=at, gold=cue.gold_ids))
            starts.append(Start(policy=policy, pairs=tuple(pairs)))
        return starts

    def _as_kept(self) -> "list[Start]":
        from cued.insight.climbing import Start
        from cued.insight.pairs import judged_pairs

        pairs = judged_pairs(self.name, self._store)
        return [Start(policy=policy, pairs=pairs) for policy in self._starts()]

    def _starts(self) -> list[Policy]:
        """The policies that a search starts from: the one in use, and the default."""
        own, default = self.policy, load_policy()
        return [own] if digest(own) == digest(default) else [own, default]

    def _under_this_policy(self) -> list[RecallEntry]:
        """The newest lines of the log that the policy in use has decided, oldest first."""
        lines = self._store.log(self.name, LogQuery(limit=_LOG, policy=self.policy.name))
        known = digest(self.policy)
        return [line for line in reversed(lines) if line.policy_digest in {known, ""}]


def window(since: When, until: When, every: str | None, by: Grouping) -> "Window":
    """The window of recalls that a caller asks for."""
    from cued.insight.overview import Window

    one_of("by", by, get_args(Grouping))
    seconds = 0 if every is None else max(1, round(parse_duration(every, field="every").total_seconds()))
    return Window(since=moment("since", since), until=moment("until", until), every_s=seconds, by="" if by == "none" else by)


def _labelled(pair: Labelled | Mapping[str, Any]) -> Labelled:
    if isinstance(pair, Labelled):
        return pair
    from cued.insight.pairs import read_labelled

    return read_labelled(msgspec.json.encode(pair))[0]


def tune_for_all(store: Store, tenants: Sequence[str], usual: Usual, *, at: datetime | None, progress: Progress) -> "Tuned":
    """A policy learnt from the judged recalls of all tenants; with `at` it is applied, if it helps, for tenants without their own."""
    from cued.insight.climbing import Start
    from cued.insight.pairs import judged_pairs
    from cued.insight.tuning import tune

    pairs = tuple(pair for name in tenants for pair in judged_pairs(name, store))
    policies = {digest(policy): policy for policy in (usual.of(EVERYBODY), load_policy())}
    tuned = tune(
        [Start(policy=policy, pairs=pairs) for policy in policies.values()], source="judged recalls of all tenants", progress=progress
    )
    return tuned if at is None or not tuned.helps else _applied(store, EVERYBODY, usual, tuned, at=at)


def _applied(store: Store, whose: str, usual: Usual, tuned: "Tuned", *, at: datetime) -> "Tuned":
    """What was learnt, which decides from now on, with the number of its version."""
    from cued.insight.learnt import applied

    return replace(tuned, version=_learnt(store, whose, usual, lambda old: applied(old, tuned, at=at)).current)


def _learnt(store: Store, whose: str, usual: Usual, change: Callable[[bytes | None], bytes]) -> "History":
    """The history after a change, which decides from now on."""
    from cued.insight.learnt import history

    written = _rewritten(store, whose, POLICY_DOCUMENT, change)
    usual.changed(whose)
    return history(written)


def _rewritten(store: Store, tenant: str, name: str, change: Callable[[bytes | None], bytes]) -> bytes:
    return rewritten(store, tenant, name, change, busy=f"the document {name!r} is changed by others all the time; try again")
