"""S15: what is secret in a recording or around a trace is in no answer of a command, and nowhere in its cache."""

from __future__ import annotations

import copy
import json
from pathlib import Path

import pytest

#: Like a key, so that people would mind; one for each place, to tell where a leak comes from.
SECRET = "sk_live_4eC39HqLyjWDarjtT1zdp{:04}"
#: What names code and tests is kept whatever it looks like; it is in the repository as well.
NAMES_OF_CODE = {"path", "location", "source_location"}
SAMPLES = sorted((Path(__file__).parents[1] / "data" / "appmap").glob("*.appmap.json"))
FORMS = ("{}", "Bearer {}", "select 1 where a = '{}' and b = \"{}\"", "https://ann:{}@shop.example/x/{}/y?key={}")


def leaves(value, way=()):
    """Where the texts of a JSON value stand."""
    if isinstance(value, dict | list):
        for key, one in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(one, (*way, key))
    elif isinstance(value, str):
        yield way


def planted(value, way, text):
    """The value with another text in one place."""
    changed = copy.deepcopy(value)
    at = changed
    for step in way[:-1]:
        at = at[step]
    at[way[-1]] = text
    return changed


def shapes(recording):
    """One of the leaves of each kind."""
    found = {}
    for way in leaves(recording):
        if way[-1] not in NAMES_OF_CODE:
            found.setdefault(tuple("*" if isinstance(step, int) else step for step in way), way)
    return list(found.values())


def plant_all(folder: Path, sample: Path) -> int:
    """Write a recording for each place of a sample, with a secret of its own in it; how many."""
    recording = json.loads(sample.read_text("utf-8"))
    recording["events"] = recording["events"][:60]
    ways = shapes(recording)
    folder.mkdir(parents=True)
    for number, way in enumerate(ways):
        hidden = FORMS[number % len(FORMS)].replace("{}", SECRET.format(number))
        data = json.dumps(planted(recording, way, hidden))
        (folder / f"{number:04}.appmap.json").write_text(data, "utf-8")
    return len(ways)


def check_untold(results, *folders: Path, secret: str = SECRET[:20].lower()):
    """Neither in what was printed nor in any file below the folders."""
    for result in results:
        assert result.code in (0, 1), result.err
        assert secret not in (result.out + result.err).lower()
    kept = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    assert kept
    assert [path for path in kept if secret.encode() in path.read_bytes().lower()] == []


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.name.partition(".")[0])
def test_s15_a_secret_in_any_field_of_a_recording_is_told_by_no_command(ask_alone, sample):
    """Each kind of field in turn, in the forms in which people pass secrets on; asked for what the recordings hold."""
    folder = ask_alone.place / "tmp" / "appmap"
    assert plant_all(folder, sample) >= 30
    kept = sorted(map(str, folder.iterdir()))
    asked = [
        ask_alone("context", question, *form)
        for question in ("insert into items", "select from items", "get items request", "users login error password")
        for form in ([f"--recordings={path}" for path in kept], [f"--recordings={folder}", "--json"])
    ]
    told = [ask_alone("recordings"), ask_alone("recordings", "--json"), ask_alone("search", "items", "--reasons")]
    seen = [ask_alone("evidence", path, *form) for path in kept[::5] for form in ([], ["--json"])]
    assert any('"data-request"' in result.out for result in asked)
    check_untold([*asked, *told, *seen], ask_alone.home)


TRACE = """Environment:
    DATABASE_URL=postgres://ann:{secret}@db.example/shop
    STRIPE_KEY={secret}
    Authorization: Bearer {secret}
    $ export TOKEN={secret}; pytest

Traceback (most recent call last):
  File "/ci/shop/cart.py", line 15, in checkout
    raise ValueError("the cart is empty")
        visitor = '{secret}'
        headers = {{'Cookie': 'sid={secret}'}}
ValueError: the cart is empty
"""


def test_s15_the_environment_of_a_trace_is_told_by_no_command(ask_alone, tmp_path):
    """Neither what is around it nor the local variables that some runners print."""
    file = tmp_path / "crash.log"
    file.write_text(TRACE.format(secret=SECRET.format(1)), "utf-8")
    results = [
        ask_alone("context", "why does the checkout fail", "--trace", str(file)),
        ask_alone("context", "why does the checkout fail", "--json", "--trace", str(file)),
        ask_alone("evidence", str(file)),
        ask_alone("evidence", "--json", str(file)),
    ]
    assert "shop/cart.py" in results[0].out
    check_untold(results, ask_alone.home)
