"""What does each command do? It opens an engine, asks one thing, and says the answer; the result is the exit code."""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib import import_module

import callsite
from callsite.cli import records
from callsite.cli.arguments import Options, UsageError, one_path, part_words
from callsite.cli.clean import clean_line
from callsite.cli.human import Look, answer_text, explanation_text, freshness_text
from callsite.cli.output import Output
from callsite.cli.places import Places, current_directory
from callsite.cli.progress import Progress
from callsite.cli.question import read_question
from callsite.errors import CallsiteError
from callsite.settings import TerminalWishes
from callsite.types import Answer, Chunk, Freshness
from callsite.values import TYPE_CHECKING, replace

if TYPE_CHECKING:
    from typing import Any

FOUND, NOTHING, ERROR = 0, 1, 2

_HITS = 10
_HITS_OF_BUDGET = 1_000


def search(options: Options, output: Output, wishes: TerminalWishes) -> int:
    """The hits of a question in the form that was asked for."""
    words, path = part_words(options)
    question = read_question(words)
    with opened(options, path) as engine:
        with Progress(wanted=True) as progress:
            answer = engine.search(
                question,
                n=options.limit if options.limit is not None else _HITS_OF_BUDGET if options.budget else _HITS,
                budget=options.budget,
                **filters(options),
                update=not options.no_index,
                progress=progress,
            )
        if options.no_index:
            answer = replace(answer, freshness=engine.status())
        _say_answer(answer, engine, options, output, wishes)
    return FOUND if answer.hits else NOTHING


def _say_answer(
    answer: Answer, engine: callsite.Engine, options: Options, output: Output, wishes: TerminalWishes
) -> None:
    places = places_of(engine)
    if options.json:
        output.write(records.as_json(records.answer_record(answer, root=engine.source.root)))
        return
    say_notes(answer.freshness, output)
    focus = engine.source.focus
    freshness = freshness_text(answer.freshness) + (f"; only {clean_line(places.shown(focus))}" if focus else "")
    if options.markdown:
        from callsite.cli.markdown import markdown_text

        output.write(markdown_text(answer.hits, freshness, shown=places.shown, reasons=options.reasons))
    elif options.files_only:
        paths = dict.fromkeys(places.shown(hit.path) for hit in answer.hits)
        output.write("".join(_name(path, output) + "\n" for path in paths))
    else:
        look = _look(options, output, wishes, places)
        output.write(answer_text(answer.hits, look, lambda text: engine.matches(text, answer.terms)))
    if not answer.hits:
        output.note(f"nothing found; searched {freshness}")
    elif options.files_only:
        output.note(freshness)
    elif not options.markdown:
        output.write(f"\n{freshness}\n")


def _look(options: Options, output: Output, wishes: TerminalWishes, places: Places) -> Look:
    automatic = output.is_terminal and not wishes.plain
    return Look(
        colour=options.color == "always" or (options.color == "auto" and automatic),
        width=output.width(wishes.columns),
        whole=options.full or options.budget is not None,
        reasons=options.reasons,
        shown=places.shown,
    )


def explain(options: Options, output: Output, wishes: TerminalWishes) -> int:
    """Why a place is in an answer, or why not; found means that it is one of the hits."""
    if not options.at:
        raise UsageError("explain: --at PATH[:LINE] is missing; it names the place that is asked about")
    words, path = part_words(options)
    question = read_question(words)
    with opened(options, path) as engine:
        places = places_of(engine)
        explanation = engine.explain(question, places.meant(options.at), **filters(options))
        if options.json:
            output.write(records.as_json(records.explanation_record(explanation, root=engine.source.root)))
        else:
            output.write(explanation_text(explanation, Look(shown=places.shown, width=output.width(wishes.columns))))
    return FOUND if explanation.rank else NOTHING


def index(options: Options, output: Output, wishes: TerminalWishes) -> int:
    """Index now, and say what is indexed; in a store when one is named."""
    if options.store:
        return _in_room("stores", "index")(options, output, wishes)
    with opened(options, one_path(options)) as engine:
        with Progress(wanted=True) as progress:
            freshness = engine.index(progress=progress)
        _say_state("indexed", freshness, engine, options, output)
    return FOUND


def status(options: Options, output: Output, wishes: TerminalWishes) -> int:
    """Say what the index shows, without changing it."""
    with opened(options, one_path(options)) as engine:
        _say_state("index of", engine.status(), engine, options, output)
    return FOUND


def _say_state(verb: str, freshness: Freshness, engine: callsite.Engine, options: Options, output: Output) -> None:
    root, folder = engine.source.root, str(engine.folder)
    if options.json:
        output.write(records.as_json(records.state_record(freshness, root=root, folder=folder)))
        return
    say_notes(freshness, output)
    output.write(f"{verb} {_name(root, output)}: {freshness_text(freshness)}\nkept in {_name(folder, output)}\n")


def files(options: Options, output: Output, wishes: TerminalWishes) -> int:
    """The files that are searched, or those that are not."""
    with opened(options, one_path(options)) as engine:
        places = places_of(engine)
        if options.skipped:
            found = [(skipped.path, skipped.reason) for skipped in engine.skipped()]
        else:
            found = [(path, "") for path in engine.files()]
        if options.json:
            output.write(records.as_json(records.files_record(found, root=engine.source.root)))
        else:
            lines = (_name(places.shown(path), output) + (f"\t{reason}" if reason else "") for path, reason in found)
            output.write("".join(line + "\n" for line in lines))
    return FOUND if found else NOTHING


def chunk(options: Options, output: Output, wishes: TerminalWishes) -> int:
    """Chunks as JSON lines; what is skipped or can't be read is said on standard error."""
    code = NOTHING
    for path in [*options.words, *(options.after or [])] or ["."]:
        try:
            for one in callsite.chunks([path]):
                if output.closed:
                    return code
                if isinstance(one, Chunk):
                    output.write(records.as_json(records.chunk_record(one)))
                    code = FOUND if code == NOTHING else code
                else:
                    output.note(f"{one.path}: skipped, {one.reason}")
        except CallsiteError as error:
            output.note(str(error))
            code = ERROR
    return code


def clear(options: Options, output: Output, wishes: TerminalWishes) -> int:
    """Remove the index; nothing found means that there was none."""
    with opened(options, one_path(options)) as engine:
        was_there = os.path.isdir(engine.folder)
        folder = engine.clear()
        output.write(f"{'removed' if was_there else 'there is no index in'} {_name(str(folder), output)}\n")
    return FOUND if was_there else NOTHING


def completion(options: Options, output: Output, wishes: TerminalWishes) -> int:
    """The completion script of a shell."""
    from callsite.cli.completion import script

    output.write(script(one_path(options)))
    return FOUND


def opened(options: Options, path: str) -> callsite.Engine:
    """An engine on what the options name."""
    if not path:
        current_directory()
    elif not os.path.lexists(path):
        hint = "" if options.command == "search" else ", or search for words with `callsite search`"
        raise UsageError(f"{options.command}: {path!r} does not exist; name a path that does{hint}")
    return callsite.open(path or ".", commit=options.commit, whole=not path, ask_at_once=True)


def filters(options: Options) -> dict[str, Any]:
    """The filters of a command line, as the engine takes them."""
    globs = [glob.removeprefix("./") for glob in options.globs]
    return {
        "languages": options.lang,
        "include": [glob for glob in globs if not glob.startswith("!")],
        "exclude": [glob[1:].removeprefix("./") for glob in globs if glob.startswith("!")],
        "types": options.types,
    }


def places_of(engine: callsite.Engine) -> Places:
    """How the paths of an engine are written for whoever stands here."""
    return Places(engine.source.root, is_bare=engine.source.kind == "bare")


def _name(path: str, output: Output) -> str:
    """A path as a program wants it, or so that it does nothing to a terminal."""
    return clean_line(path) if output.is_terminal else path


def say_notes(freshness: Freshness, output: Output) -> None:
    """What whoever asks has to know, on standard error."""
    for note in freshness.notes:
        output.note(note)


def _in_room(room: str, name: str) -> Callable[[Options, Output, TerminalWishes], int]:
    """A command of a room that a search need not load."""

    def run(options: Options, output: Output, wishes: TerminalWishes) -> int:
        command: Callable[[Options, Output, TerminalWishes], int] = getattr(import_module(f"callsite.cli.{room}"), name)
        return command(options, output, wishes)

    return run


COMMANDS: dict[str, Callable[[Options, Output, TerminalWishes], int]] = {
    "search": search, "index": index, "status": status, "files": files, "chunk": chunk, "explain": explain,
    "clear": clear, "completion": completion,
    **{name: _in_room("evidence", name) for name in ("context", "evidence", "recordings")},
    **{name: _in_room("stores", name) for name in ("query", "embed", "migrations", "stores")},
}  # fmt: skip
