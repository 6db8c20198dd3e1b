"""What was promised, and what of it was measured? One line for each aim; reads the results of the newest runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from benchmarks.sizes import share

Records = Mapping[str, Mapping[str, Any]]  #: measure → record of its newest run
Value = Callable[[Records], float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Aim:
    """A figure with a bound that has to hold and a goal beyond it."""

    asked: str
    value: Value
    least: Value | float  #: a bound may be a peer's figure of the same run
    goal: float | None
    unit: str = ""
    is_larger_better: bool = False

    def verdict(self, records: Records) -> tuple[float | None, float | None, str]:
        """What was measured, the bound, and how they compare; None for what no run has."""
        try:
            measured = self.value(records)
            least = self.least(records) if callable(self.least) else self.least
        except (KeyError, ValueError):
            return None, None, "not measured"
        if not self._reaches(measured, least):
            return measured, least, "missed"
        reached = self.goal is not None and self._reaches(measured, self.goal)
        return measured, least, "aim reached" if reached else "holds"

    def _reaches(self, measured: float, bound: float) -> bool:
        return measured >= bound if self.is_larger_better else measured <= bound


def _results(records: Records, measure: str) -> Any:
    return records[measure]["results"]


def _quality(measure: str, group: str, figure: str) -> Value:
    return lambda records: float(_results(records, f"quality {measure}")["callsite"][group][figure])


def _process(scenario: str, figure: str, engine: str = "callsite") -> Value:
    return lambda records: float(_results(records, "speed processes")["scenarios"][scenario][engine][figure])


def _fastest_peer(scenario: str) -> Value:
    def least(records: Records) -> float:
        found = _results(records, "speed processes")["scenarios"][scenario]
        return float(min(found[name]["wall"] for name in ("semble", "appmap") if name in found))

    return least


def _query(kind: str, figure: str) -> Value:
    return lambda records: float(
        _results(records, "speed queries")["sizes"][0]["milliseconds"][kind]["callsite"][figure]
    )


def _largest_index_share(records: Records) -> float:
    return max(map(share, _results(records, "speed sizes")["repositories"].values()))


def _memory_together(records: Records) -> float:
    return float(_results(records, "speed processes")["peak together MiB"]["callsite"])


def _evidence(kind: str, group: str, figure: str) -> Value:
    return lambda records: float(_results(records, "evidence bugloc")[kind][group][figure])


def _traces(figure: str) -> Value:
    return lambda records: float(_results(records, "evidence tracelocs")["all"][figure])


def _harm_of_noise(records: Records) -> float:
    found = _results(records, "evidence bugloc")
    return float(found["none"]["all"]["func@16k"] - found["noise"]["all"]["func@16k"])


def _recordings(part: str, figure: str) -> Value:
    return lambda records: float(_results(records, "speed recordings")[part][figure])


def _times_appmap(records: Records) -> float:
    """Against the form of question that does better for it."""
    figures = _results(records, "evidence appmap")["figures"]
    shares = {asked: float(groups["all"]["func@16k"]) for asked, groups in figures.items()}
    most = max(share for asked, share in shares.items() if asked.startswith("AppMap, "))
    return shares["callsite, recording"] / most if most else float("inf")


AIMS = (
    Aim(
        asked="semble dev, the 14 compared repositories, NDCG@10",
        value=_quality("semble", "compared 14", "ndcg@10"),
        least=0.885,
        goal=0.90,
        is_larger_better=True,
    ),
    Aim(
        asked="SWE-bench Lite dev, file Acc@1",
        value=_quality("swebench", "all", "acc@1"),
        least=58,
        goal=63,
        unit="%",
        is_larger_better=True,
    ),
    Aim(
        asked="SWE-bench Lite dev, file Acc@5",
        value=_quality("swebench", "all", "acc@5"),
        least=83,
        goal=87,
        unit="%",
        is_larger_better=True,
    ),
    Aim(
        asked="bugloc dev, no evidence, func@16k",
        value=_quality("bugloc", "all", "func@16k"),
        least=0.66,
        goal=0.72,
        is_larger_better=True,
    ),
    Aim(
        asked="bugloc dev, all evidence, func@16k",
        value=_evidence("all", "all", "func@16k"),
        least=0.86,
        goal=0.92,
        is_larger_better=True,
    ),
    Aim(
        asked="bugloc dev, all evidence, func@8k",
        value=_evidence("all", "all", "func@8k"),
        least=0.80,
        goal=0.88,
        is_larger_better=True,
    ),
    Aim(
        asked="bugloc dev, all evidence, MRR",
        value=_evidence("all", "all", "MRR"),
        least=0.60,
        goal=0.70,
        is_larger_better=True,
    ),
    Aim(
        asked="bugloc dev, reports with a traceback and nothing else, func@16k",
        value=_evidence("traceback", "traceback", "func@16k"),
        least=0.88,
        goal=0.93,
        is_larger_better=True,
    ),
    Aim(asked="bugloc dev, lost by recordings of other things, func@16k", value=_harm_of_noise, least=0.01, goal=0.0),
    Aim(
        asked="tracelocs dev, a file of the fix first",
        value=_traces("file@1"),
        least=0.76,
        goal=0.85,
        is_larger_better=True,
    ),
    Aim(
        asked="tracelocs dev, a file of the fix among five",
        value=_traces("file@5"),
        least=0.92,
        goal=0.97,
        is_larger_better=True,
    ),
    Aim(
        asked="tracelocs dev, a function of the fix within 8,000 characters",
        value=_traces("first function"),
        least=0.75,
        goal=0.85,
        is_larger_better=True,
    ),
    Aim(
        asked="bugloc dev, the same recording and characters: times AppMap's func@16k",
        value=_times_appmap,
        least=1,
        goal=2,
        unit="×",
        is_larger_better=True,
    ),
    Aim(
        asked="cold search, from nothing to the answer; bound: the faster of semble and AppMap in this run",
        value=_process("cold", "wall"),
        least=_fastest_peer("cold"),
        goal=1.5,
        unit="s",
    ),
    Aim(asked="warm search as a process", value=_process("warm", "wall"), least=0.15, goal=0.08, unit="s"),
    Aim(
        asked="warm search, times ripgrep's keyword run",
        value=lambda records: 1 / _process("warm", "times callsite", "ripgrep")(records),
        least=3,
        goal=None,
        unit="×",
    ),
    Aim(asked="after one edited file", value=_process("one file edited", "wall"), least=0.2, goal=0.1, unit="s"),
    Aim(
        asked="after a switch that changes 300 files",
        value=_process("switch to a new branch", "wall"),
        least=1.5,
        goal=1,
        unit="s",
    ),
    Aim(asked="query in process, ~10k chunks, p50", value=_query("short", "p50"), least=3, goal=2, unit="ms"),
    Aim(asked="query in process, ~10k chunks, p95", value=_query("short", "p95"), least=15, goal=10, unit="ms"),
    Aim(
        asked="470 recordings read for the first time",
        value=_recordings("first", "wall"),
        least=6,
        goal=3,
        unit="s",
    ),
    Aim(
        asked="choosing among 470 recordings, everything warm",
        value=_recordings("choosing", "warm"),
        least=0.05,
        goal=0.02,
        unit="s",
    ),
    Aim(
        asked="answer as a process with ten recordings of 1 to 2.6 MB, read for the first time",
        value=_recordings("ten large", "wall"),
        least=0.5,
        goal=0.2,
        unit="s",
    ),
    Aim(
        asked="what these ten recordings add to its memory",
        value=_recordings("ten large", "more MiB"),
        least=250,
        goal=None,
        unit="MiB",
    ),
    Aim(
        asked="memory of a cold index, largest process",
        value=_process("cold", "peak MiB"),
        least=400,
        goal=250,
        unit="MiB",
    ),
    Aim(asked="memory of a cold index, all processes", value=_memory_together, least=400, goal=250, unit="MiB"),
    Aim(
        asked="index on disk, times the text indexed: the largest of semble's repositories",
        value=_largest_index_share,
        least=1,
        goal=None,
        unit="×",
    ),
)
