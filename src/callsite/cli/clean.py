"""How is foreign text shown without doing anything to the terminal? Control characters become visible escapes."""

from __future__ import annotations

#: C0 and C1 controls, and the marks that turn the order of letters around: `if` could look like something else.
_TURNING = (0x061C, 0x200E, 0x200F, *range(0x2028, 0x202F), *range(0x2066, 0x206A))
_HARMFUL = (*range(0x20), *range(0x7F, 0xA0), *_TURNING)
_SHOWN = {code: f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" for code in _HARMFUL}
_SHOWN_IN_TEXT = {**_SHOWN, ord("\n"): "\n", ord("\t"): "\t"}
_TAB = 4


def clean_line(text: str) -> str:
    """A text as one line: a file name, a symbol, a message. Bytes that are no UTF-8 appear as `\\xHH`."""
    return text if text.isascii() and text.isprintable() else _without_surrogates(text).translate(_SHOWN)


def clean_text(text: str) -> str:
    """Code, as many lines as before, without tabs and carriage returns at the ends of lines."""
    text = text.replace("\r\n", "\n").removesuffix("\r").expandtabs(_TAB)
    return _without_surrogates(text).translate(_SHOWN_IN_TEXT)


def as_unicode(text: str) -> str:
    """The text without the escapes of a locale that is not UTF-8, when its bytes are UTF-8 all the same."""
    if text.isascii():
        return text
    try:
        return text.encode("utf-8", "surrogateescape").decode("utf-8")
    except UnicodeError:
        return text


def _without_surrogates(text: str) -> str:
    text = as_unicode(text)
    if text.isascii():
        return text
    return "".join(_escaped(letter) if "\ud800" <= letter <= "\udfff" else letter for letter in text)


def _escaped(letter: str) -> str:
    code = ord(letter)
    return f"\\x{code - 0xDC00:02x}" if 0xDC80 <= code <= 0xDCFF else f"\\u{code:04x}"


def width_of(text: str) -> int:
    """Columns that a clean line takes."""
    return len(text) if text.isascii() else sum(map(_columns, text))


def cut(text: str, width: int) -> str:
    """A clean line that takes at most `width` columns, with `…` at its end when something is missing; 0 = any width."""
    if not width or width_of(text) <= width:
        return text
    taken = 0
    for at, letter in enumerate(text):
        taken += _columns(letter)
        if taken > width - 1:
            return text[:at] + "…"
    return text


def _columns(letter: str) -> int:
    if letter < "\u0300":
        return 1
    import unicodedata

    if unicodedata.combining(letter) or unicodedata.category(letter) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 1
