"""A process that brings an index up to date, and may die on the way: `child.py ROOT HOME [DIE_AT [WHAT]]`.

Every change of a file on the way counts as a step; at step DIE_AT the process ends as if it were killed. WHAT is
"index", or "search" for one question whose answer is printed.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

import callsite
from callsite import engine as _all_imported  # noqa: F401
from callsite.index.catalogue import Catalogue
from callsite.index.lexical import Writing


def die_at(step: int) -> None:
    """End without any farewell before or after the step-th change."""
    n_steps = 0

    def counted(change: Callable[..., Any]) -> Callable[..., Any]:
        def around(*arguments: Any, **named: Any) -> Any:
            nonlocal n_steps
            if change.__name__ == "run" and arguments[1] not in ("BEGIN IMMEDIATE", "COMMIT"):
                return change(*arguments, **named)
            for after in (False, True):
                n_steps += 1
                if n_steps == step:
                    os._exit(9)
                if not after:
                    result = change(*arguments, **named)
            return result

        return around

    Catalogue.run = counted(Catalogue.run)  # type: ignore[method-assign]
    for name in ("add", "remove", "remove_above", "clear", "commit"):
        setattr(Writing, name, counted(getattr(Writing, name)))


def main() -> None:
    root, home, *rest = sys.argv[1:]
    if rest and int(rest[0]):
        die_at(int(rest[0]))
    print("ready", flush=True)
    with callsite.open(root, home=home) as engine:
        if rest[1:] == ["search"]:
            answer = engine.search("alpha beta", n=100)
            print(sorted({hit.path for hit in answer.hits}), answer.freshness.notes)
        else:
            engine.index()


if __name__ == "__main__":
    main()
