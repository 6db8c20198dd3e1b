"""The commands about runs: the context of a bug, what a trace or recording says, which recordings there are."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from callsite.cli import records
from callsite.cli.arguments import Options, UsageError, one_path, part_words
from callsite.cli.clean import clean_line
from callsite.cli.commands import FOUND, NOTHING, filters, opened, places_of, say_notes
from callsite.cli.human import freshness_text
from callsite.cli.markdown import markdown_text
from callsite.cli.output import Output
from callsite.cli.places import Places
from callsite.cli.progress import Progress
from callsite.cli.question import read_ends, read_question
from callsite.engine import CONTEXT_CHARACTERS
from callsite.settings import TerminalWishes
from callsite.types import KnownRecording, Landing, RecordingUse, Understood

_CHARACTERS_PER_TOKEN = 3  # of code, for every tokenizer in wide use rather too few than too many
_ENDINGS = (".appmap.json", ".appmap.json.gz")


def context(options: Options, output: Output, wishes: TerminalWishes) -> int:
    """The code that matters for a question and its evidence, as Markdown."""
    words, path = part_words(options)
    is_asked = words or not (options.traces or options.test_outputs or options.errors)
    question = read_question(words) if is_asked else ""  # evidence alone asks enough
    texts = [_read(name, output) for name in [*options.traces, *options.test_outputs]]
    evidence = [*texts, *options.errors]
    if options.tokens is not None and options.tokens < 1:
        raise UsageError(f"context: --tokens has to be at least 1, not {options.tokens}")
    limits = [options.budget, None if options.tokens is None else options.tokens * _CHARACTERS_PER_TOKEN]
    budget = min([limit for limit in limits if limit is not None], default=CONTEXT_CHARACTERS)
    with opened(options, path) as engine:
        with Progress(wanted=True) as progress:
            answer = engine.context(
                question,
                evidence=evidence,
                recordings=_absolute(options.recordings),
                budget=budget,
                **filters(options),
                progress=progress,
            )
        if options.json:
            output.write(records.as_json(records.answer_record(answer, root=engine.source.root)))
        else:
            say_notes(answer.freshness, output)
            places, focus = places_of(engine), engine.source.focus
            limited = f"; only {clean_line(places.shown(focus))}" if focus else ""
            freshness = freshness_text(answer.freshness) + limited
            used = "".join(f"- {_use(one)}\n" for one in answer.recordings)
            output.write(f"## Recordings\n\n{used}\n" if used else "")
            output.write(markdown_text(answer.hits, freshness, shown=places.shown, reasons=True))
    return FOUND if answer.hits else NOTHING


def recordings(options: Options, output: Output, wishes: TerminalWishes) -> int:
    """The recordings of a project, and what each would add."""
    with opened(options, one_path(options)) as engine:
        known = engine.recordings(_absolute(options.recordings))
        if options.json:
            output.write(records.as_json(records.recordings_record(known, root=engine.source.root)))
        else:
            output.write("".join("\t".join(map(clean_line, _known(one))) + "\n" for one in known))
            if not known:
                output.note("no recordings; name some with --recordings, or see `callsite context --help`")
    return FOUND if known else NOTHING


def evidence(options: Options, output: Output, wishes: TerminalWishes) -> int:
    """What was understood of a trace or a recording, and where each location landed."""
    if len(options.words) != 1:
        raise UsageError(f"evidence: name one file, or `-` for standard input, not {len(options.words)}")
    (name,) = options.words
    is_recording = name.endswith(_ENDINGS)
    text = "" if is_recording else _read(name, output)
    with opened(options, options.path or ".") as engine:
        found = engine.evidence(text, recordings=_absolute([name]) if is_recording else ())
        if options.json:
            output.write(records.as_json(records.evidence_record(found, root=engine.source.root)))
        else:
            places = places_of(engine)
            output.write("\n".join("".join(_lines(one, places)) for one in found))
            if not found:
                output.note("no stack trace and no failing test was found in it")
    return FOUND if any(landing.path for one in found for landing in one.landings) else NOTHING


def _read(name: str, output: Output) -> str:
    text, left_out = read_ends(name)
    if left_out:
        output.note(left_out)
    return text


def _absolute(paths: Sequence[str]) -> list[str]:
    return [os.path.abspath(path) for path in paths]


def _use(one: RecordingUse) -> str:
    stale = ", out of date: its source was changed since" if one.is_stale else ""
    alike = f", {one.n_alike} alike left out" if one.n_alike else ""
    return f"{clean_line(one.name or one.path)} ({one.score:.2f}{stale}{alike})"


def _known(one: KnownRecording) -> tuple[str, str, str]:
    counts = ((one.n_functions, "functions"), (one.n_exceptions, "exceptions"), (one.n_requests, "requests"),
              (one.n_queries, "queries"))  # fmt: skip
    facts = [one.state, *filter(None, [one.test_status]), *(f"{n} {what}" for n, what in counts if n), *one.problems]
    return one.path, one.name, ", ".join(facts)


def _lines(one: Understood, places: Places) -> Iterator[str]:
    yield f"{clean_line(one.title) or one.kind}{f' ({one.language})' if one.language else ''}\n"
    for landing in one.landings:
        yield f"  {clean_line(_landing(landing, places))}\n"
    for problem in one.problems:
        yield f"  problem: {clean_line(problem)}\n"


def _landing(landing: Landing, places: Places) -> str:
    written = " ".join(filter(None, [landing.written, landing.function]))
    if not landing.path:
        return f"-  {written}: {landing.note}"
    lines = f":{landing.first_line}-{landing.last_line}" if landing.first_line else ""
    note = f"; {landing.note}" if landing.note else ""
    return f"{landing.weight:.2f}  {places.shown(landing.path)}{lines}  {written}{note}"
