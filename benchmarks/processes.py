"""How long does one command take, from nothing, again, after an edit, after a switch of branches? And how much memory?

All programs do the same in turns, in another order each time, in a copy of one checkout; each has a folder of its own.
Files are in the memory of the operating system throughout: what is measured is work, not the disk.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import callsite
from benchmarks.data import git
from benchmarks.engines.contract import Program

#: Short, because AppMap wants every word of a question to be in a file.
QUESTIONS = (
    "sequence diagram",
    "classmap filter",
    "index search tokens",
    "openapi schema merge",
    "scanner findings report",
)
METER = Path(__file__).with_name("meter.py")
N_COLD, N_WARM, N_EDITED, N_SWITCHED = 5, 15, 9, 5
N_FILES_SWITCHED = 300
CODE = ("*.ts", "*.tsx", "*.js", "*.jsx", "*.py", "*.rb", "*.java", "*.go", "*.rs", "*.kt", "*.cs", "*.c", "*.cpp")
LARGEST_FILE_SWITCHED = 60_000  # bytes; larger ones are rarely code that somebody edits

Sample = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Bench:
    """A copy of the checkout, and a folder for each program."""

    programs: Sequence[Program]
    checkout: Path
    workshop: Path
    samples: dict[str, dict[str, list[Sample]]] = field(default_factory=dict)

    def home(self, program: Program) -> Path:
        return self.workshop / "homes" / program.name

    def forget(self, program: Program) -> None:
        shutil.rmtree(self.home(program), ignore_errors=True)
        self.home(program).mkdir(parents=True)

    def round(self, scenario: str, number: int, prepare: Callable[[Program], None] = lambda program: None) -> None:
        """Let every program answer once; who begins changes with the number."""
        shift = number % len(self.programs)
        question = QUESTIONS[number % len(QUESTIONS)]
        for program in (*self.programs[shift:], *self.programs[:shift]):
            prepare(program)
            sample = self.measure(program, question)
            self.samples.setdefault(scenario, {}).setdefault(program.name, []).append(sample)
            told = f"{sample['wall']:.3f} s, {sample['peak_kib'] // 1024} MiB"
            print(f"{scenario} {number + 1}: {program.name} {told}", file=sys.stderr, flush=True)

    def measure(self, program: Program, question: str, *, together: bool = False) -> Sample:
        """One run of a program under the meter."""
        result = self.workshop / "result.json"
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "CALLSITE_"))}
        command = [*(["--together"] if together else []), *program.command(question, self.checkout)]
        environment = inherited | program.environment(self.home(program))
        return metered(command, name=program.name, result=result, environment=environment, folder=self.checkout)


def metered(
    command: Sequence[str],
    *,
    name: str,
    result: Path,
    environment: Mapping[str, str],
    folder: Path,
    accepted: Collection[int] = (0,),
) -> Sample:
    """What a command cost, as the meter says; RuntimeError when it ends with another code than the accepted ones."""
    line = [sys.executable, "-I", "-S", str(METER), str(result), *command]
    subprocess.run(line, env=dict(environment), cwd=folder, check=True)
    sample: Sample = json.loads(result.read_text("utf-8"))
    if sample["code"] not in accepted:
        errors = Path(f"{result}.err").read_text("utf-8", "replace")
        raise RuntimeError(f"{name} failed with code {sample['code']}: {errors[-500:]}")
    return sample


def measure(programs: Sequence[Program], *, repository: Path, workshop: Path) -> dict[str, Any]:
    """All scenarios, and the sizes of what was indexed."""
    checkout = workshop / "checkout"
    shutil.copytree(repository, checkout, symlinks=True)
    git(checkout, "status")  # notes the copies' inodes: before that, git reads every file whenever it is asked
    bench = Bench(programs=programs, checkout=checkout, workshop=workshop)
    for number in range(N_COLD):
        bench.round("cold", number, bench.forget)
    sizes = _sizes(bench)
    for number in range(N_WARM):
        bench.round("warm", number)
    _edits(bench)
    switched = _switches(bench)
    together = _peaks_together(bench)
    return {
        "checkout": {**sizes["checkout"], "files switched": switched},
        "index bytes": sizes["index bytes"],
        "peak together MiB": together,
        "scenarios": {
            scenario: {name: summary(samples, beside=found["callsite"]) for name, samples in found.items()}
            for scenario, found in bench.samples.items()
        },
    }


def summary(samples: Sequence[Sample], *, beside: Sequence[Sample]) -> dict[str, Any]:
    """Medians and spread of the runs of one program in one scenario, each compared with its neighbour of callsite."""
    ratios = [one["wall"] / own["wall"] for one, own in zip(samples, beside, strict=True)]
    walls = sorted(sample["wall"] for sample in samples)
    return {
        "n": len(samples),
        "wall": round(statistics.median(walls), 4),
        "times callsite": round(statistics.median(ratios), 3),
        "wall least": round(walls[0], 4),
        "wall most": round(walls[-1], 4),
        "cpu": round(statistics.median(sample["user"] + sample["system"] for sample in samples), 4),
        "peak MiB": round(statistics.median(sample["peak_kib"] for sample in samples) / 1024, 1),
        "silent": sum(not sample["n_printed"] for sample in samples),
    }


def _edits(bench: Bench) -> None:
    """One function more in one file before each run."""
    file = bench.checkout / _code_files(bench.checkout)[0]

    def edit(program: Program) -> None:
        with file.open("a", encoding="utf-8") as text:
            text.write(f"\n{_function(len(file.name), program.name, file.stat().st_size)}")

    for number in range(N_EDITED):
        bench.round("one file edited", number, edit)
    git(bench.checkout, "checkout", "-q", "--", str(file))


def _switches(bench: Bench) -> int:
    """To a branch never seen, which differs in many files, and back; how many files those were."""
    base = git(bench.checkout, "rev-parse", "HEAD").strip()
    names = _code_files(bench.checkout)
    chosen = [names[i * len(names) // N_FILES_SWITCHED] for i in range(min(N_FILES_SWITCHED, len(names)))]
    for program in bench.programs:
        bench.measure(program, QUESTIONS[0])  # knows the base again, after the edits were taken back
    for number in range(N_SWITCHED):
        _new_branch(bench.checkout, base, number, chosen)
        bench.round("switch to a new branch", number)
        git(bench.checkout, "checkout", "-q", base)
        bench.round("switch back", number)
    return len(chosen)


def _new_branch(checkout: Path, base: str, number: int, names: Sequence[str]) -> None:
    git(checkout, "checkout", "-q", "-b", f"bench-{number}", base)
    for i, name in enumerate(names):
        with (checkout / name).open("a", encoding="utf-8") as text:
            text.write(_function(number, "branch", i))
    git(checkout, "add", "--", *names)
    tree = git(checkout, "write-tree", "--missing-ok").strip()  # a sparse checkout may lack what it does not show
    who = ("-c", "user.name=bench", "-c", "user.email=bench@example.org")
    commit = git(checkout, *who, "commit-tree", tree, "-p", base, "-m", f"Change {len(names)} files").strip()
    git(checkout, "update-ref", "HEAD", commit)


def _function(*parts: int | str) -> str:
    name = "_".join(map(str, ("added", *parts)))
    return f"\nfunction {name}(first, second) {{\n  return first + second;\n}}\n"


def _code_files(checkout: Path) -> list[str]:
    listed = git(checkout, "ls-files", "-z", "--", *CODE).split("\0")
    there = (name for name in listed if name and (checkout / name).is_file())
    return [name for name in there if (checkout / name).stat().st_size < LARGEST_FILE_SWITCHED]


def _sizes(bench: Bench) -> dict[str, Any]:
    """How much text callsite indexes, and how large each program's folder is after the cold runs."""
    with callsite.open(bench.checkout, home=str(bench.workshop / "sizes")) as engine:
        paths = engine.files()
    shutil.rmtree(bench.workshop / "sizes")
    text = sum((bench.checkout / path).stat().st_size for path in paths)
    return {
        "checkout": {"files": len(paths), "text bytes": text},
        "index bytes": {program.name: folder_size(bench.home(program)) for program in bench.programs},
    }


def _peaks_together(bench: Bench) -> dict[str, float]:
    """The memory of all processes of one cold run each."""
    peaks = {}
    for program in bench.programs:
        bench.forget(program)
        peaks[program.name] = round(bench.measure(program, QUESTIONS[0], together=True)["peak_together_kib"] / 1024, 1)
    return peaks


def folder_size(folder: Path) -> int:
    """Bytes of the files below a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
