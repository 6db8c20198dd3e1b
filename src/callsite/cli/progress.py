"""How far is it? A bar on standard error, for whatever takes more than half a second, on a terminal only."""

from __future__ import annotations

import sys
import time

from callsite.values import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import TaskID

_PATIENCE_SECONDS = 0.5


class Progress:
    """To be passed to an engine as `progress`, inside a `with`, which takes the bar away again."""

    def __init__(self, *, wanted: bool) -> None:
        self._wanted = wanted and sys.stderr is not None and sys.stderr.isatty()
        self._started = time.monotonic()
        self._bar: Bar | None = None
        self._tasks: dict[str, TaskID] = {}

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()
            self._bar = None

    def __call__(self, label: str, done: int, total: int) -> None:
        if not self._wanted or (self._bar is None and time.monotonic() - self._started < _PATIENCE_SECONDS):
            return
        bar = self._bar = self._bar or _bar()
        if label not in self._tasks:
            self._tasks[label] = bar.add_task(label, total=total)
        bar.update(self._tasks[label], completed=done, total=total)


def _bar() -> Bar:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    bar = Progress(*columns, console=Console(file=sys.stderr), transient=True)
    bar.start()
    return bar
