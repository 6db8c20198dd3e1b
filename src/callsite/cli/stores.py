"""What do the commands about stores do? The same as those about checkouts, elsewhere; a search never loads this."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

from callsite import storing
from callsite.cli import records
from callsite.cli.arguments import Options, UsageError, one_path
from callsite.cli.clean import clean_line
from callsite.cli.output import Output
from callsite.cli.progress import Progress as Bar
from callsite.connections import Connection, copied, differences
from callsite.embedding import OpenAICompatible
from callsite.errors import QueryError
from callsite.migrations import MIGRATIONS, Status, run, status
from callsite.settings import TerminalWishes
from callsite.stores import Candidate, Store
from callsite.syncing import Changed, Place, Synced
from callsite.vectors import Plan, Report

FOUND, NOTHING = 0, 1

_FORMS = {
    "list": "", "add": "NAME ENGINE OPTION=VALUE…", "use": "NAME", "check": "NAME", "copy": "FROM TO", "forget": "NAME",
}  # fmt: skip


def stores(options: Options, output: Output, wishes: TerminalWishes) -> int:
    """List, add, use, check, copy and forget connections."""
    verb, *words = options.words or ["list"]
    if verb not in _FORMS:
        raise UsageError(f"stores: there is no {verb!r}; use {', '.join(_FORMS)}")
    wanted = len([word for word in _FORMS[verb].split() if not word.endswith("…")])
    if len(words) < wanted or (verb != "add" and len(words) > wanted):
        raise UsageError(f"stores {verb}: it takes {wanted} names: `callsite stores {verb} {_FORMS[verb]}`")
    known = storing.connections()
    if verb == "list":
        return _list(known.all(), options, output)
    if verb == "add":
        known.add(words[0], words[1], _given(words[2:]))
        output.write(f"added {words[0]}\n")
    elif verb == "use":
        known.activate("" if words[0] == storing.LOCAL else words[0])
        output.write(f"{words[0]} is used from now on\n")
    elif verb == "forget":
        known.forget(words[0])
        output.write(f"forgot {words[0]}; what its store holds is still there\n")
    elif verb == "check":
        return _check(words[0], output)
    else:
        return _copy(*words, output=output)
    return FOUND


def _list(found: tuple[Connection, ...], options: Options, output: Output) -> int:
    if options.json:
        output.write(records.as_json({"connections": [_connection_record(one) for one in found]}))
    for one in found if not options.json else ():
        said = " ".join(f"{name}={clean_line(value)}" for name, value in one.options.items())
        output.write(f"{'*' if one.is_active else ' '} {one.name}\t{one.engine}\t{said}\n")
    return FOUND if found else NOTHING


def _connection_record(one: Connection) -> dict[str, object]:
    return {"name": one.name, "engine": one.engine, "options": dict(one.options), "active": one.is_active}


def _given(words: list[str]) -> Mapping[str, str]:
    """Options as NAME=VALUE; NAME=@FILE and NAME=- keep secrets out of the shell's history."""
    found: dict[str, str] = {}
    for word in words:
        name, sign, value = word.partition("=")
        if not sign:
            raise UsageError(f"stores add: {name!r} has no value; write {name}=VALUE, {name}=@FILE or {name}=-")
        found[name] = _read(value, f"stores add: {name}") if _is_elsewhere(value) else value
    return found


def _is_elsewhere(value: str) -> bool:
    """Whether it says where the value is to be read."""
    return value == "-" or value.startswith("@")


def _read(value: str, what: str) -> str:
    """What is on standard input or in a file."""
    try:
        return (sys.stdin.read() if value == "-" else Path(value[1:]).read_text("utf-8")).strip()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{what}: {error}") from error


def _check(name: str, output: Output) -> int:
    with _Opened(name) as store:
        health = store.health()
        output.write(f"{name}: {health.engine} {health.version}, {'well' if health.is_well else 'not well'}\n")
        for note in health.notes:
            output.note(clean_line(note))
        if health.is_well:
            for collection in store.collections():
                stats = store.stats(collection.name)
                filled = "".join(f", {n:,} {field}" for field, n in stats.n_filled.items())
                output.write(f"  {collection.name}\t{stats.n_documents:,} documents{filled}\n")
    return FOUND if health.is_well else NOTHING


def _copy(source: str, target: str, *, output: Output) -> int:
    """Nothing found means that the copy is not the same; nothing was removed."""
    with _Opened(source) as one, _Opened(target) as other:
        done = copied(one, other)
        problems = list(differences(one, other))
    output.write(f"copied {done.n_documents:,} documents of {done.n_collections} collections to {target}\n")
    for problem in problems:
        output.note(clean_line(problem))
    if not problems:
        output.write(f"both give the same answers; `callsite stores use {target}` to use the copy\n")
    return NOTHING if problems else FOUND


def index(options: Options, output: Output, wishes: TerminalWishes) -> int:
    """Bring the chunks of a repository in a store to a commit."""
    with _Opened(options.store) as store:
        place, synced = storing.index_into(
            store,
            one_path(options) or ".",
            project_id=options.project,
            overlay=options.overlay,
            from_commit=options.from_commit,
            to=options.to or "HEAD",
            work_tree=options.work_tree,
            force=options.force,
            on_change=(lambda one: _tell(one, output)) if options.json else None,
        )
    for problem in synced.problems:
        output.note(clean_line(problem))
    if options.json:
        output.write(records.as_json(_run_record(place, synced)))
    else:
        output.write(_run_text(place, synced))
    return FOUND


def _tell(changed: Changed, output: Output) -> None:
    output.write(records.as_json({"created": changed.id, "path": changed.path}))


def _run_record(place: Place, synced: Synced) -> dict[str, object]:
    names = ("commit", "full", "n_read", "n_created", "n_updated", "n_unchanged", "n_gone", "n_skipped")
    return {"project": place.project_id, "overlay": place.overlay, **{name: getattr(synced, name) for name in names}}


def _run_text(place: Place, synced: Synced) -> str:
    shown = synced.commit[:12] or "the work tree"
    overlay = f", overlay {clean_line(place.overlay)}" if place.overlay else ""
    why = f"everything was read: {synced.full}\n" if synced.full else ""
    return (
        f"project {place.project_id}{overlay} shows {shown}\n{why}"
        f"{synced.n_read:,} contents read; chunks: {synced.n_created:,} new, {synced.n_updated:,} moved,"
        f" {synced.n_gone:,} gone\n"
    )


def migrations(options: Options, output: Output, wishes: TerminalWishes) -> int:
    """Tell which migrations were run, or run those that were not; nothing found means that some are left."""
    verb, *rest = options.words or ["status"]
    if verb not in ("status", "run", "retry") or rest:
        raise UsageError(f"migrations: there is no {' '.join(options.words)!r}; use status, run or retry")
    with _Opened(options.store) as store:
        if verb != "status":
            run(store, MIGRATIONS, retry=verb == "retry")
        found = status(store, MIGRATIONS)
    if options.json:
        output.write(records.as_json({"migrations": [_migration_record(one) for one in found]}))
    for one in found if not options.json else ():
        problem = f"\t{clean_line(one.problem)}" if one.problem else ""
        output.write(f"{one.version}\t{one.state}\t{clean_line(one.name)}{problem}\n")
    return FOUND if all(one.state == "done" for one in found) else NOTHING


def _migration_record(one: Status) -> dict[str, object]:
    return {name: getattr(one, name) for name in ("version", "name", "state", "tries", "n_done", "problem")}


def embed(options: Options, output: Output, wishes: TerminalWishes) -> int:
    """Tell what vectors would cost, or make them; nothing found means that some chunks got none."""
    verb, *rest = options.words or ["plan"]
    if verb not in ("plan", "run") or rest:
        raise UsageError(f"embed: there is no {' '.join(options.words)!r}; use plan or run")
    if not options.model or not options.url:
        raise UsageError("embed: --model and --url are missing; they say which model makes the vectors, and where")
    if options.key and not _is_elsewhere(options.key):
        raise UsageError("embed: --key takes @FILE or -, so that the key stays out of the shell's history")
    key = _read(options.key, "embed: --key") if options.key else ""
    if options.key and not key:
        raise UsageError("embed: --key: there is no key in it")
    embedder = OpenAICompatible(options.model, base_url=options.url, key=key, dims=options.dims or 0)
    with _Opened(options.store) as store, closing(embedder), closing(storing.vector_cache()) as cache:
        if verb == "plan":
            plan = storing.embedding_plan(store, embedder, cache, price=float(options.price or 0))
            output.write(records.as_json(_values(plan, Plan)) if options.json else _plan_text(plan))
            return FOUND
        with Bar(wanted=True) as bar:
            report = storing.embed_chunks(
                store, embedder, cache, on_progress=lambda one: bar("Embedding", one.n_done, one.n_all)
            )
    output.write(records.as_json(_values(report, Report)) if options.json else _report_text(report))
    for problem, n in report.problems.items():
        output.note(f"{n:,} chunks: {clean_line(problem)}")
    return NOTHING if report.n_failed else FOUND


def _values(one: Plan | Report, kind: type[Plan] | type[Report]) -> dict[str, object]:
    found = {name: getattr(one, name) for name in kind.__slots__}
    return {name: dict(value) if isinstance(value, Mapping) else value for name, value in found.items()}


def _plan_text(plan: Plan) -> str:
    cost = f", cost {plan.cost:.2f}" if plan.cost else ""
    return (
        f"{plan.n_chunks:,} chunks of {plan.n_files:,} files lack a vector: {plan.n_texts:,} texts,"
        f" {plan.n_cached:,} of them paid for before\n"
        f"{plan.n_requests:,} requests, about {plan.n_tokens:,} tokens{cost}, {plan.seconds:.0f} s\n"
    )


def _report_text(report: Report) -> str:
    return (
        f"{report.n_written:,} chunks have a vector now, {report.n_failed:,} got none\n"
        f"{report.n_embedded:,} texts embedded, {report.n_cached:,} known before, {report.seconds:.1f} s\n"
    )


def query(options: Options, output: Output, wishes: TerminalWishes) -> int:
    """The documents that a query gives."""
    text = " ".join([*options.words, *(options.after or [])])
    if not text:
        raise UsageError(
            "query: there is no query; write one, as in `callsite query 'match(\"parse header\") limit 5'`"
        )
    with _Opened(options.store) as store:
        place = None if options.project is None else Place(project_id=options.project, overlay=options.overlay)
        try:
            found = storing.ask(store, text, place=place, collection=options.collection, n=options.limit or 10)
        except QueryError as error:
            raise QueryError(str(error).partition("\n")[0]) from error  # without the line that shows the place
    for candidate in found.candidates:
        output.write(_hit_record(candidate) if options.json else _hit_text(candidate))
    return FOUND if found.candidates else NOTHING


def _hit_record(candidate: Candidate) -> str:
    document = candidate.document
    fields = {name: value for name, value in document.fields.items() if not isinstance(value, bytes)}
    return records.as_json(
        {"id": document.key.id, "routing": document.key.routing, "scores": list(candidate.scores), "fields": fields}
    )


def _hit_text(candidate: Candidate) -> str:
    fields = candidate.document.fields
    line = str(fields.get("source", "")).rpartition(":")[2]
    where = f"{fields['path']}:{line}" if "path" in fields else candidate.document.key.id
    scores = " ".join("-" if score is None else f"{score:.3f}" for score in candidate.scores)
    return f"{clean_line(where)}\t{clean_line(str(fields.get('name', '')))}\t{scores}\n"


class _Opened:
    """A store that is closed at the end."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __enter__(self) -> Store:
        self._store = storing.open_store(self._name)
        return self._store

    def __exit__(self, *_: object) -> None:
        self._store.close()
