"""What is the plain name of a function that a runtime prints with decorations? Pure."""

from __future__ import annotations

import re

_RUBY_BLOCK = re.compile(r"^(?:(?:block|rescue|ensure|loop)(?: \(\d+ levels\))? in |rescue in |ensure in )+")
_V8_DECORATION = re.compile(r"^(?:async |new |get |set )+|\s*\[as [^\]]*\]$")
_CLOSURE = re.compile(
    r"(?:/<|\.func\d+(?:\.\d+)*|\$\$?(?:anonfun|lambda)?\$?\w*|::\{\{?closure\}?\}|\.\{closure\}|::h[0-9a-f]{16}|-fm)+$"
)
_DOTNET_LOCAL = re.compile(r"<(\w+)>[bdg]__")
_GENERIC = re.compile(r"<[^<>]{0,400}>|\[[^\[\]]{0,400}\]")
_SEPARATORS = re.compile(r"::|->|\\|#|\.|/|:")
_ACCESSOR = re.compile(r"^(?:get|set|add|remove)_(?=[A-Z])")


def plain_name(printed: str) -> tuple[str, str]:
    """The function's own name, and what it belongs to: `Site.render.func1` is `render` of `Site`.

    Anonymous functions give the one around them; constructors the type.
    """
    printed = _V8_DECORATION.sub("", _RUBY_BLOCK.sub("", printed.strip()))
    if local := _DOTNET_LOCAL.search(printed):
        return local[1], printed[: local.start()].rstrip(".+")
    if lambda_of := re.search(r"\blambda\$(\w+)\$\d+$", printed):
        return lambda_of[1], printed[: lambda_of.start()].rstrip(".")
    printed = _CLOSURE.sub("", printed)
    for _ in range(3):
        printed = _GENERIC.sub("", printed)
    parts = [part for part in _SEPARATORS.split(printed.replace("(", "").replace(")", "").replace("*", "")) if part]
    while len(parts) > 1 and parts[-1] in ("ctor", "cctor", "<init>", "<clinit>", "<anonymous>", "__construct"):
        parts.pop()
    if not parts or not re.fullmatch(r"[^\W\d][\w$]*[?!=]?", parts[-1]):
        return "", ".".join(parts[:-1])
    return _ACCESSOR.sub("", parts[-1]), ".".join(parts[:-1])
