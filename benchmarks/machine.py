"""On what was it measured, and was anybody else at work there? No names of hosts, users or folders."""

from __future__ import annotations

import os
import platform
import subprocess
from pathlib import Path

import callsite

ROOT = Path(__file__).resolve().parents[1]


def facts() -> dict[str, object]:
    """Processor, memory, versions."""
    pages, size = os.sysconf("SC_PHYS_PAGES"), os.sysconf("SC_PAGE_SIZE")
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "memory_gib": round(pages * size / 2**30),
        "system": platform.system(),
        "python": platform.python_version(),
        "git": _first_line("git", "--version").removeprefix("git version "),
        "callsite": callsite.__version__,
        "commit": _first_line("git", "-C", str(ROOT), "rev-parse", "HEAD"),
        "changed": bool(_first_line("git", "-C", str(ROOT), "status", "--porcelain", "--", "src")),
    }


def load() -> float:
    """Processes that wanted a core in the last minute, on average."""
    return round(os.getloadavg()[0], 2)


def _processor() -> str:
    described = Path("/proc/cpuinfo")
    lines = described.read_text("utf-8").splitlines() if described.exists() else []
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())


def _first_line(*command: str) -> str:
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    return run.stdout.partition("\n")[0].strip()
