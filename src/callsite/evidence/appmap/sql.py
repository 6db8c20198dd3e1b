"""What does an SQL statement do, without what it says? Structure and names stay; literals and comments go.

Where dialects disagree about the end of a literal, everything after it is dropped: losing words is harmless, showing a
password is not. Text that was cut off inside a literal ends there.
"""

from __future__ import annotations

import re

from callsite.evidence.appmap.secrets import is_token

MOST_READ = 20_000  #: characters of a statement
_MOST_KEPT = 2_000
_MOST_NAME = 64

_COMMENT = re.compile(r"/\*|\*/")
_ROUGH = re.compile(r"'[^'\\]{0,200}'|\b\d+\b")
_TIMES = re.compile(r"\s*-- (\d{1,9}) times\b")
_TOKEN = re.compile(
    r"""(?P<space>\s+)
      | (?P<line>--[^\n]*)
      | (?P<block>/\*)
      | (?P<prefixed>(?:[Uu]&|_[A-Za-z0-9]+\s*|[A-Za-z]{1,2})?')
      | (?P<dollar>\$(?:[A-Za-z_][A-Za-z0-9_]*)?\$)
      | (?P<name>[^\W\d][\w$]*)
      | (?P<quoted>["`])
      | (?P<bound>%\([^)]{0,80}\)s|%s|[$:@?][A-Za-z_0-9]+|\?)
      | (?P<cast>::)
      | (?P<number>(?:\d|\.\d)[\w.]*(?:(?<=[eE])[+-]\d+)?)
      | (?P<hash>\#)
      | (?P<other>.)
    """,
    re.VERBOSE | re.DOTALL,
)
_BACKSLASH = ("mysql", "mariadb", "bigquery", "spark", "hive", "clickhouse", "databricks", "snowflake")
_PLAIN = ("postgres", "sqlite", "oracle", "mssql", "sqlserver", "sql server", "h2", "hsql", "derby", "db2", "redshift")
_NAMES_ONLY = ("postgres", "oracle", "h2", "hsql", "derby", "db2", "redshift", "mssql", "sqlserver", "sql server")
_BEFORE_A_NAME = frozenset("from join into update table as by on using index view column".split())
_WORDS = re.compile(r"\w+")


def n_times(sql: str) -> int:
    """How often a statement was run at once: recorders of Python say so in its first line."""
    found = _TIMES.match(sql)
    return max(1, int(found.group(1))) if found else 1


def rough_form(sql: str) -> str:
    """The same for most statements that differ in literals only, a hundred times faster; not fit to be shown."""
    return _ROUGH.sub("?", sql)


def normalised_sql(sql: str, database_type: str = "") -> str:
    """The statement with `?` for each literal and one `?` for each list of them, without comments, on one line."""
    return _Statement(sql[:MOST_READ], database_type.lower()).plain()


class _Statement:
    """A statement that is being read from left to right."""

    def __init__(self, sql: str, dialect: str) -> None:
        self.sql = sql
        self.escapes = dialect.startswith(_BACKSLASH)
        self.standard = dialect.startswith(_PLAIN)
        self.names_in_double_quotes = dialect.startswith(_NAMES_ONLY)
        self.comment_by_hash = not dialect.startswith(_PLAIN)
        self.dialect = dialect
        self.parts: list[str] = []
        self.at = 0

    def plain(self) -> str:
        """Reads to the end, or to where nothing can be told any more."""
        while self.at < len(self.sql):
            found = _TOKEN.match(self.sql, self.at)
            if found is None or not self._take(found):
                break
        return _on_one_line(self.parts)

    def _take(self, found: re.Match[str]) -> bool:
        """Takes one token; False when the rest has to be dropped."""
        kind = found.lastgroup or "other"
        self.at = found.end()
        if kind in ("space", "line"):
            self.parts.append(" ")
        elif kind == "block":
            return self._block_comment()
        elif kind == "prefixed":
            return self._string(found.group())
        elif kind == "dollar":
            return self._dollar_quoted(found.group())
        elif kind == "quoted":
            return self._quoted(found.group())
        elif kind == "name":
            return self._name(found.group())
        elif kind in ("bound", "number"):
            self._literal()
        elif kind == "hash" and self.comment_by_hash:
            self.at = _end_of_line(self.sql, self.at)
        else:
            self.parts.append(found.group())
        return True

    def _literal(self) -> bool:
        self.parts.append("?")
        return True

    def _name(self, name: str) -> bool:
        before = self._words_before(2)
        if before == ["identified", "by"] or is_token(name):
            return self._literal()
        self.parts.append(name[:_MOST_NAME])
        return not (name.lower() == "stdin" and before[-1:] == ["from"])  # data follow

    def _words_before(self, number: int) -> list[str]:
        recent = [part for part in self.parts[-2 * number - 2 :] if part != " "]
        return [part.lower() for part in recent[-number:]]

    def _block_comment(self) -> bool:
        """Comments nest in some dialects; where they don't, too much is dropped."""
        depth = 1
        for found in _COMMENT.finditer(self.sql, self.at):
            depth += 1 if found.group() == "/*" else -1
            if depth == 0:
                self.at = found.end()
                self.parts.append(" ")
                return True
        return False

    def _dollar_quoted(self, tag: str) -> bool:
        end = self.sql.find(tag, self.at)
        self._literal()
        self.at = end + len(tag)
        return end >= 0

    def _string(self, opening: str) -> bool:
        """A string in single quotes, of which the first has been read."""
        self._literal()
        prefix = opening[:-1].strip().lower()
        if prefix in ("q", "nq"):
            return self._oracle_quoted()
        if not self.standard and self.sql.startswith("''", self.at):
            return False  # may open a string in three quotes
        closed = self._closed("'", escapes=self.escapes or prefix == "e", sure=self.escapes or self.standard)
        follows_a_name = self.sql[self.at : self.at + 1].isalnum()  # then the wrong quote was taken for the end
        return closed and not follows_a_name

    def _closed(self, quote: str, *, escapes: bool, sure: bool) -> bool:
        """Moves behind the closing quote; False when there is none or dialects disagree where it is."""
        while True:
            end = self.sql.find(quote, self.at)
            if end < 0:
                return False
            n_slashes = len(self.sql[self.at : end]) - len(self.sql[self.at : end].rstrip("\\"))
            self.at = end + 1
            if n_slashes and not sure:
                return False
            if escapes and n_slashes % 2:
                continue
            if self.sql.startswith(quote, self.at):
                self.at += 1
                continue
            return True

    def _oracle_quoted(self) -> bool:
        if not self.dialect.startswith("oracle") or self.at >= len(self.sql):
            return False
        opening = self.sql[self.at]
        end = self.sql.find({"[": "]", "(": ")", "{": "}", "<": ">"}.get(opening, opening) + "'", self.at + 1)
        self.at = end + 2
        return end >= 0

    def _quoted(self, quote: str) -> bool:
        """A name in double quotes or backticks; a literal wherever it might be one."""
        begin = self.at
        if not self._closed(quote, escapes=quote == '"' and self.escapes, sure=self.standard or self.escapes):
            self.parts.append("?")
            return False
        inner = self.sql[begin : self.at - 1]
        is_name = len(inner) <= _MOST_NAME and inner.isprintable() and not is_token(inner)
        if is_name and (quote == "`" or self.names_in_double_quotes or self._must_be_name()):
            self.parts.append(f"{quote}{inner}{quote}")
            return True
        return self._literal()

    def _must_be_name(self) -> bool:
        """Whether no dialect takes what was just read for a literal: its place says that it is a name."""
        if self.escapes and not self.sql.startswith(".", self.at) and self.parts[-1:] != ["."]:
            return False
        before = self._words_before(1)
        if self.sql.startswith(".", self.at) or before in (["."], ["into"], ["update"], ["table"], ["from"], ["join"]):
            return True
        return bool(before) and (before[0] in _BEFORE_A_NAME or self._in_column_list())

    def _in_column_list(self) -> bool:
        """Between `INSERT INTO name (` and the first closing parenthesis."""
        said = "".join(self.parts[-400:])
        head, opened, inside = said.rpartition("(")
        words = [word.lower() for word in _WORDS.findall(head)][-4:]
        return bool(opened) and ")" not in inside and "into" in words and "values" not in words


def _end_of_line(sql: str, at: int) -> int:
    end = sql.find("\n", at)
    return len(sql) if end < 0 else end


def _on_one_line(parts: list[str]) -> str:
    text = " ".join("".join(parts).split())
    text = re.sub(r"(?<=[=<>(,]) ?[+-] ?\?", " ?", text).replace("( ?", "(?")
    text = re.sub(r"\?(?: ?, ?\?)+", "?", text)
    text = re.sub(r"\( ?\? ?\)(?: ?, ?\( ?\? ?\))+", "(?)", text)
    return text[:_MOST_KEPT].strip()
