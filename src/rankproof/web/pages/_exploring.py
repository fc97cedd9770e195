"""What the pages of exploring share: the runs of a project on its judgments, as the address asks for them."""

from __future__ import annotations

from dataclasses import dataclass

from starlette.requests import Request

from rankproof.errors import RankproofError
from rankproof.flow.exploring.standing import Standing, standing
from rankproof.records.adjudication import Adjudicated
from rankproof.records.project import Project
from rankproof.web.desk import desk
from rankproof.web.pages._method import Method, method_of
from rankproof.web.problems import Problem

MEASURES = "nDCG@10 P@10 RR"


@dataclass(frozen=True, slots=True)
class Asked:
    """What an address asks for, and what stands there.

    run, against   the run that is looked at, and the one that it is held against; empty for none
    """

    measures: str
    method: Method
    settled: Adjudicated
    at: Standing
    run: str
    against: str

    @property
    def query(self) -> dict[str, str | None]:
        """The parameters that ask for the same."""
        same = self.measures if self.measures != MEASURES else None
        return {**self.method.query, "measures": same, "run": self.run or None, "against": self.against or None}


def asked_of(request: Request, project: Project, measures: str = "", query_id: str | None = None) -> Asked:
    """The runs measured as the address asks; an error that says what is possible where it asks for what is none.

    With `query_id` only this query is looked at: its values are the same, and the others need not be read.
    """
    store, slug = desk(request).store, project.slug
    judgments = store.judgments.current(slug, query_id=query_id)
    people = sorted({act.judge for act in judgments if act.source.kind == "person"})
    method = method_of(request, people)
    settled = method.settle(judgments, project)
    wanted = measures or request.query_params.get("measures", "").strip() or MEASURES
    if query_id is None:
        runs = {run.name: store.runs.whole(slug, run.name) for run in store.runs.all(slug)}
    else:
        runs = {name: {query_id: docs} for name, docs in store.runs.rankings(slug, query_id).items()}
    try:
        at = standing(runs, settled, wanted[:1000], project.scale.relevant)
    except RankproofError as error:
        raise Problem(422, str(error)) from None
    names = list(runs)
    said, against = request.query_params.get("run", ""), request.query_params.get("against", "")
    return Asked(wanted, method, settled, at, said if said in names else "", against if against in names else "")


def chosen_run(asked: Asked) -> tuple[str, str]:
    """The run to look at and the one it is held against: as asked, else the first and none."""
    names = list(asked.at.evaluations)
    run = asked.run if asked.run in names else (names[0] if names else "")
    return run, asked.against if asked.against in names and asked.against != run else ""
