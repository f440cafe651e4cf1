"""A coding agent with project memory: what it learns in one project stays there, what holds everywhere is shared.

It runs without a key: `script` stands in for the LLM. Put your own model in its place; the memory needs nothing else.

    python examples/coding_agent.py
"""

from collections.abc import Callable

import cued

TASKS = (
    ("atlas", "Set up the test suite.", "Atlas runs its tests with `uv run pytest -n 4`, and needs Redis on port 6380."),
    ("atlas", "Fix the flaky upload test.", "The upload test was flaky because the clock was real; it is frozen with time-machine now."),
    ("borealis", "Set up the test suite.", "Borealis runs its tests with `cargo nextest run`."),
)
QUESTION = "How do I run the tests?"
Model = Callable[[str, str], str]


def script(project: str) -> Model:
    """A model that knows the outcome of the tasks of a project, and of everything else only what the prompt tells it."""
    known = {task: outcome for place, task, outcome in TASKS if place == project}
    return lambda prompt, task: known.get(task) or prompt or "I know nothing about that yet."


class CodingAgent:
    """One project's agent: it recalls before a task, and remembers what came of it."""

    def __init__(self, tenant: cued.Tenant, project: str, model: Model) -> None:
        """Work on one project of this developer."""
        self._tenant, self._project, self._model = tenant, project, model

    def work(self, task: str) -> str:
        """The model's answer to a task, with what the project has taught so far."""
        recall = self._tenant.recall(task, goal=f"work on {self._project}", scope=self._project, budget_tokens=600)
        answer = self._model(recall.block, task)
        if answer != recall.block:
            # What is newer and says otherwise takes the place of what it updates; `cued why` tells what gave way.
            self._tenant.remember(answer, scope=self._project, kind="procedural", trust="agent", on_conflict="supersede")
        return answer


def main() -> None:
    """Work in two projects, and then ask both the same."""
    with cued.open("coding.db") as memories:
        developer = memories.tenant("mara")
        developer.remember("Commit messages are imperative sentences.", kind="procedural", tier="core")
        for project, task, _ in TASKS:
            CodingAgent(developer, project, script(project)).work(task)
        for project in ("atlas", "borealis"):
            print(f"== {project}: {QUESTION}")
            print(CodingAgent(developer, project, script(project)).work(QUESTION))


if __name__ == "__main__":
    main()
