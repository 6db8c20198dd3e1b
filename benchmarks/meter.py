"""Runs one command and writes what it cost as JSON; small, because a child begins with its parent's peak of memory.

meter.py RESULT [--together] COMMAND…: wall, user and system seconds, peak of the largest process (KiB), exit code,
bytes printed; with --together also the peak of all its processes (PSS, KiB), which slows the command a little.
"""

import json
import os
import subprocess
import sys
import time


def main() -> None:
    """Measure the command of the command line."""
    result, *command = sys.argv[1:]
    together = command[0] == "--together"
    command = command[together:]
    start = time.perf_counter()
    with open(result + ".out", "wb") as out, open(result + ".err", "wb") as errors:
        child = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=out, stderr=errors, start_new_session=together
        )
        peak_together = _watch(child.pid) if together else 0
        _, status, used = os.wait4(child.pid, 0)
    wall = time.perf_counter() - start
    child.returncode = os.waitstatus_to_exitcode(status)
    told = {
        "wall": wall,
        "user": used.ru_utime,
        "system": used.ru_stime,
        "peak_kib": used.ru_maxrss,
        "peak_together_kib": peak_together,
        "code": child.returncode,
        "n_printed": os.path.getsize(result + ".out"),
    }
    with open(result, "w", encoding="utf-8") as file:
        json.dump(told, file)


def _watch(leader: int) -> int:
    """The peak of the session's memory until its leader has ended."""
    peak = 0
    while os.waitid(os.P_PID, leader, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        peak = max(peak, sum(_memory(pid) for pid in os.listdir("/proc") if pid.isdecimal() and _is_of(pid, leader)))
        time.sleep(0.02)
    return peak


def _is_of(pid: str, session: int) -> bool:
    try:
        return os.getsid(int(pid)) == session
    except OSError:
        return False


def _memory(pid: str) -> int:
    try:
        with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as lines:
            return next((int(line.split()[1]) for line in lines if line.startswith("Pss:")), 0)
    except OSError:
        return 0


if __name__ == "__main__":
    main()
