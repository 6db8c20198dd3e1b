"""Which measure was asked for? `python -m benchmarks quality|evidence|speed|report`, see `scripts/bench`."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks import beside_appmap, evidence, processes, quality, queries, recorded, report, sizes
from benchmarks.engines import choice
from benchmarks.engines.appmap_context import AppMapContext
from benchmarks.engines.contract import Engine
from benchmarks.runs import FOLDER, Run, newest

QUALITY = {"semble": quality.semble, "swebench": quality.swebench, "bugloc": quality.bugloc}
EVIDENCE = {"bugloc": evidence.bugloc, "tracelocs": evidence.tracelocs}
BESIDE = "appmap"  # the set of `evidence` that needs a peer


def main() -> None:
    """Do what the command line says."""
    given = _parser().parse_args()
    given.do(given)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    commands = parser.add_subparsers(required=True)
    quality_ = commands.add_parser("quality", help="does the right code come first?")
    quality_.add_argument("sets", nargs="+", choices=sorted(QUALITY))
    quality_.add_argument("--only", default="", help="names of repositories or projects, with commas; not reported")
    _add_common(quality_, do=_measure_quality)
    evidence_ = commands.add_parser("evidence", help="does what is known of a run bring the right code first?")
    evidence_.add_argument("sets", nargs="+", choices=sorted([*EVIDENCE, BESIDE]))
    _add_common(evidence_, do=_measure_evidence)
    speed = commands.add_parser("speed", help="how long does it take, how much memory and room?")
    speed.add_argument("sets", nargs="+", choices=sorted(_SPEED))
    speed.add_argument("--repository", type=Path, help="the checkout for `processes` or `recordings`")
    speed.add_argument("--sizes", default="10000,100000,500000", help="chunks for `queries`, with commas")
    speed.add_argument("--appmap", default="", help="cli.js of the npm package @appland/search")
    _add_common(speed, do=_measure_speed)
    report_ = commands.add_parser("report", help="write REPORT.md from the newest runs")
    report_.add_argument("--runs", type=Path, default=FOLDER)
    report_.set_defaults(do=lambda given: report.write(newest(given.runs), given.runs.parent))
    return parser


def _add_common(parser: argparse.ArgumentParser, *, do: Any) -> None:
    parser.add_argument("--data", type=Path, required=True, help="the data folder")
    parser.add_argument("--home", type=Path, required=True, help="the folder of checkouts")
    parser.add_argument(
        "--engines", default=",".join(choice.NAMES), help="with commas; those that are there by default"
    )
    parser.add_argument("--semble-python", default="", help="the Python that semble is installed for")
    parser.add_argument("--appmap-cli", default="", help="built/cli.js of the npm package @appland/appmap")
    parser.add_argument("--runs", type=Path, default=FOLDER, help="where the results go")
    parser.set_defaults(do=do)


def _measure_quality(given: argparse.Namespace) -> None:
    only = [name for name in given.only.split(",") if name]
    rankers = choice.rankers(given.engines.split(","), semble_python=given.semble_python)
    for name in given.sets:
        run = Run(f"quality {name}")
        results = QUALITY[name](rankers, data=given.data.resolve(), home=given.home.resolve(), only=only)
        _save(run, results, rankers, {"only": only}, given.runs)


def _measure_evidence(given: argparse.Namespace) -> None:
    rankers = choice.rankers(["callsite"], semble_python="")
    peer = AppMapContext(given.appmap_cli) if BESIDE in given.sets and given.appmap_cli else None
    for name in given.sets:
        run = Run(f"evidence {name}")
        places = {"data": given.data.resolve(), "home": given.home.resolve()}
        if name != BESIDE:
            _save(run, EVIDENCE[name](**places), rankers, {}, given.runs)
        elif peer:
            _save(run, beside_appmap.measure(peer, **places), [*rankers, peer], {}, given.runs)
        else:
            print("appmap: left out, no --appmap-cli", file=sys.stderr)


def _measure_speed(given: argparse.Namespace) -> None:
    for name in given.sets:
        with tempfile.TemporaryDirectory(prefix="callsite-bench-") as workshop:
            _SPEED[name](given, Path(workshop))


def _measure_processes(given: argparse.Namespace, workshop: Path) -> None:
    run = Run("speed processes")
    wanted = given.engines.split(",")
    programs = choice.programs(
        wanted, semble_python=given.semble_python, appmap=given.appmap, workshop=workshop / "parts"
    )
    results = processes.measure(programs, repository=given.repository.resolve(), workshop=workshop)
    _save(run, results, programs, {"repository": given.repository.name}, given.runs)


def _measure_queries(given: argparse.Namespace, workshop: Path) -> None:
    run = Run("speed queries")
    sizes = [int(size) for size in given.sizes.split(",")]
    places = {"data": given.data.resolve(), "home": given.home.resolve(), "workshop": workshop}
    results = queries.measure(**places, sizes=sizes, semble_python=given.semble_python)
    rankers = choice.rankers(["callsite", "tantivy", "semble"], semble_python=given.semble_python)
    _save(run, {"sizes": results}, rankers, {"sizes": sizes}, given.runs)


def _measure_recordings(given: argparse.Namespace, workshop: Path) -> None:
    run = Run("speed recordings")
    results = recorded.measure(checkout=given.repository.resolve(), workshop=workshop)
    rankers = choice.rankers(["callsite"], semble_python="")
    _save(run, results, rankers, {"repository": given.repository.name}, given.runs)


def _measure_sizes(given: argparse.Namespace, workshop: Path) -> None:
    run = Run("speed sizes")
    results = sizes.measure(data=given.data.resolve(), home=given.home.resolve(), workshop=workshop)
    _save(run, {"repositories": results}, choice.rankers(["callsite"], semble_python=""), {}, given.runs)


_SPEED = {
    "processes": _measure_processes,
    "queries": _measure_queries,
    "recordings": _measure_recordings,
    "sizes": _measure_sizes,
}


def _save(run: Run, results: dict[str, Any], engines: Sequence[Engine], settings: dict[str, Any], folder: Path) -> None:
    path = run.save(results, engines={e.name: e.version for e in engines}, settings=settings, folder=folder)
    print(path)


if __name__ == "__main__":
    main()
