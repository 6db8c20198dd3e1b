"""What of a recorded text may be kept? Messages and names without what looks like a secret; pure text in, text out.

Kept: the words of a message, short quoted literals, names of files, short numbers. Replaced by `<…>`, because that is
where people's secrets stand: quoted literals over 40 characters, addresses of mail and memory, keys and tokens (long
runs that mix letters and digits as no identifier does, or begin as known kinds of keys do), values beside words like
`password` or `Bearer`, user names and queries of URLs, numbers of eight digits and more, and those grouped as on cards,
phones and identity papers.
"""

from __future__ import annotations

import re
from itertools import pairwise

MOST_QUOTED = 40  #: characters of a quoted literal that are kept
_MOST_READ = 1_500
_MOST_KEPT = 500
_SHORTEST_TOKEN = 16
_LONGEST_NAME = 200

_KEY_BLOCK = re.compile(r"-----BEGIN .*", re.DOTALL)
_URL = re.compile(r"\b([a-z][a-z0-9+.-]{0,20}://)([^\s'\"<>)\]]{1,2000})", re.IGNORECASE)
_QUOTED = re.compile(
    rf"(?<!\w)(?:'(?:[^'\\]|\\.){{{MOST_QUOTED + 1},}}(?:'|$)|\"(?:[^\"\\]|\\.){{{MOST_QUOTED + 1},}}(?:\"|$)"
    rf"|`[^`]{{{MOST_QUOTED + 1},}}(?:`|$))",
    re.DOTALL,
)
_FILE = re.compile(r"(['\"`])[\w./\\:-]{1,300}\.[A-Za-z]{1,5}\1")
_SENSITIVE_NAME = (
    r"(?:pass(?:word|wd|phrase)|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|authorization|cookie"
    r"|session[_-]?id|credentials?|signature)"
)
#: `password=x`, `"accessToken": "x"`, `Cookie: x`; not `WrongPassword: x`, which is an exception and its message.
_SENSITIVE = re.compile(
    rf"(?i)((?:{_SENSITIVE_NAME}[\"']?\s{{0,3}}(?:=>|=)"
    rf"|(?:(?-i:\b[a-z_][\w-]{{0,40}}?)|(?<![A-Za-z])){_SENSITIVE_NAME}[\"']?\s{{0,3}}:)\s{{0,3}})"
    r"(?:\"[^\"]*(?:\"|$)|'[^']*(?:'|$)|(?:(?:bearer|basic|digest|token)\s+)?[^\s\"',;&)\]}]+)"
)
_BEARER = re.compile(r"(?i)\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{8,}")
_MAIL = re.compile(r"[^\s@<>\"'(),;:=]{1,64}@[^\s@<>\"'(),;:=]{1,200}")
_UUID = re.compile(r"\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b")
_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{4,}\b")
_RUN = re.compile(rf"[A-Za-z0-9_+/=.~%-]{{{_SHORTEST_TOKEN},}}")
_NUMBER = re.compile(
    r"(?<![\d.])(?:\d{8,}|\d{4}(?:[ -]\d{4}){2,}(?:[ -]\d{1,4})?|\d{3}-\d{2}-\d{4}|\+\d(?:[ .()-]{0,2}\d){7,14})(?!\d)"
)
_KNOWN_KEY = re.compile(
    r"(?:[sprw]k_(?:live|test)_|gh[opsur]_|github_pat_|glpat-|xox[abeoprs]-|AKIA|ASIA|AIza|ya29\.|eyJ|SG\.|npm_|pypi-)\w"
)
_HEXADECIMAL = re.compile(r"[0-9a-fA-F]{16,}")


def masked(text: str, *, at_most: int = _MOST_KEPT) -> str:
    """The text without what looks like a secret, cut to `at_most` characters."""
    text = text[:_MOST_READ]
    text = _KEY_BLOCK.sub("<key>", text)
    text = _URL.sub(_plain_url, text)
    text = _QUOTED.sub(_plain_literal, text)
    text = _SENSITIVE.sub(r"\1<secret>", text)
    text = _BEARER.sub(r"\1 <secret>", text)
    text = _MAIL.sub("<mail>", text)
    text = _UUID.sub("<id>", text)
    text = _ADDRESS.sub("<address>", text)
    text = _RUN.sub(_plain_run, text)
    text = _NUMBER.sub("<number>", text)
    return text[:at_most]


def name_of(text: str, *, at_most: int = 200) -> str:
    """A name as it is, "" when it looks like a key or token, without those inside it; white space becomes a space."""
    name = " ".join(text[: at_most * 2].split())[:at_most]
    if len(name) < _SHORTEST_TOKEN:
        return name
    return "" if is_token(name) else _RUN.sub(_plain_run, name)


def is_token(run: str) -> bool:
    """Whether a run of characters looks like a key, hash or token rather than like words somebody wrote.

    Words that were joined change between letters and digits, and between cases, only at their borders.
    """
    if len(run) < _SHORTEST_TOKEN or (run.isalpha() and len(run) < 24):
        return False
    if _KNOWN_KEY.match(run) or (len(run) > _LONGEST_NAME and "/" not in run):
        return True
    if _HEXADECIMAL.fullmatch(run):
        return any(letter.isdigit() for letter in run)
    kinds = [_kind(letter) for letter in run]
    turns = sum(a != b for a, b in pairwise(kinds) if "d" in (a, b) and "-" not in (a, b))
    if turns >= 4 and turns * 6 >= len(run):
        return True
    switches = sum(a + b in ("lu", "ul") for a, b in pairwise(kinds))
    return len(run) >= 20 and switches > 0.4 * len(run)


def _kind(letter: str) -> str:
    if letter.isdigit():
        return "d"
    if letter.isalpha():
        return "u" if letter.isupper() else "l"
    return "-"


def _plain_literal(found: re.Match[str]) -> str:
    """Names of files are evidence however long they are."""
    return found.group() if _FILE.fullmatch(found.group()) else "<text>"


def _plain_run(found: re.Match[str]) -> str:
    run = found.group()
    if is_token(run):
        return "<token>"
    pieces = re.split(r"([/.=%~])", run)
    return "".join("<token>" if is_token(piece) else piece for piece in pieces)


def _plain_url(found: re.Match[str]) -> str:
    """Scheme, host and path."""
    rest = re.split(r"[?#]", found.group(2), maxsplit=1)[0]
    authority, slash, path = rest.partition("/")
    return found.group(1) + authority.rpartition("@")[2] + slash + path
