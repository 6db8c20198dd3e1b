"""One table of settings: name, default, help. Environment, config files and the reference page come from it.

The environment is read here and nowhere else. Later ones win: default, user's file, repository's file, environment,
what the caller gives.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from callsite.errors import SettingsError
from callsite.values import TYPE_CHECKING, dataclass

if TYPE_CHECKING:
    from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One setting; its environment variable is CALLSITE_ and the name in capitals."""

    name: str
    default: str | int | float | bool
    help: str


TABLE = (
    Setting(name="home", default="", help="folder that holds all indexes; empty = callsite in the user's cache folder"),
    Setting(name="max_file_size", default=1_000_000, help="bytes; larger files are skipped"),
    Setting(name="workers", default=0, help="processes that prepare files; 0 = one for each core, at most 8"),
    Setting(name="wait", default=60.0, help="seconds to wait for another process that writes the same index"),
    Setting(name="share_clones", default=False, help="clones with the same first commit and remote share one index"),
    Setting(name="debug", default=False, help="show where an error that is a bug of callsite comes from"),
)
REPOSITORY_FILE = ".callsite.toml"
OF_REPOSITORY = ("max_file_size",)  # what that file may set

_MOST = 10**12  # of any number; beyond, seconds and bytes overflow what they are handed to
_TRUE, _FALSE = ("1", "true", "yes", "on"), ("0", "false", "no", "off")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings in force."""

    home: str = ""
    max_file_size: int = 1_000_000
    workers: int = 0
    wait: float = 60.0
    share_clones: bool = False
    debug: bool = False

    @property
    def n_workers(self) -> int:
        return self.workers or min(os.cpu_count() or 1, 8)


@dataclass(frozen=True, slots=True, kw_only=True)
class TerminalWishes:
    """What the environment says of the terminal, in variables that all programs share."""

    plain: bool = False  #: no colours: NO_COLOR is set, or TERM is dumb
    columns: int = 0  #: COLUMNS, 0 = nothing said


def terminal_wishes(environment: Mapping[str, str] | None = None) -> TerminalWishes:
    """The wishes of this process's environment; never raises."""
    environment = os.environ if environment is None else environment
    columns = environment.get("COLUMNS", "")
    return TerminalWishes(
        plain=bool(environment.get("NO_COLOR")) or environment.get("TERM") == "dumb",
        columns=int(columns[:6]) if columns.isdecimal() else 0,
    )


def is_debugging(environment: Mapping[str, str] | None = None) -> bool:
    """Whether CALLSITE_DEBUG is on; never raises, because it is asked when something failed already."""
    environment = os.environ if environment is None else environment
    return environment.get("CALLSITE_DEBUG", "").lower() in _TRUE


def load(root: str = "", environment: Mapping[str, str] | None = None, **given: Any) -> Settings:
    """Settings for the source at `root`. Raises SettingsError for an unknown name or a value of the wrong type."""
    environment = os.environ if environment is None else environment
    values: dict[str, Any] = {}
    users, repositorys = _user_file(environment), os.path.join(root, REPOSITORY_FILE)
    if users and os.path.isfile(users):
        values |= _from_file(users)
    if root and os.path.isfile(repositorys):
        values |= _harmless(_from_file(repositorys), repositorys)
    for setting in TABLE:
        variable = "CALLSITE_" + setting.name.upper()
        if environment.get(variable):
            values[setting.name] = _parsed(setting, environment[variable], variable)
    for name, value in given.items():
        values[name] = _checked(name, value, "argument")
    return Settings(**values)


def user_folder(environment: Mapping[str, str] | None = None) -> str | None:
    """The folder of this user's configuration, None when the environment names no home."""
    environment = os.environ if environment is None else environment
    given = environment.get("XDG_CONFIG_HOME") or environment.get("APPDATA")
    home = environment.get("HOME") or environment.get("USERPROFILE")
    if given:
        return os.path.join(given, "callsite")
    return os.path.join(home, ".config", "callsite") if home else None


def sealing_key(environment: Mapping[str, str] | None = None) -> str:
    """What options of connections are encrypted with, "" when the environment says nothing. It is no setting: those
    are shown.
    """
    environment = os.environ if environment is None else environment
    return environment.get("CALLSITE_KEY", "")


def _harmless(values: dict[str, Any], file: str) -> dict[str, Any]:
    """A checkout comes from anybody: it may say what of it is searched, not where this machine keeps things."""
    for name in values:
        if name not in OF_REPOSITORY:
            variable = "CALLSITE_" + name.upper()
            raise SettingsError(f"{file}: {name} is yours to set, in your own config file or as {variable}")
    return values


def _user_file(environment: Mapping[str, str]) -> str | None:
    folder = user_folder(environment)
    return os.path.join(folder, "config.toml") if folder else None


def _from_file(file: str) -> dict[str, Any]:
    import tomllib
    from pathlib import Path

    try:
        found = tomllib.loads(Path(file).read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise SettingsError(f"{file}: {error}; mend it or remove it") from error
    return {name: _checked(name, value, str(file)) for name, value in found.items()}


def _checked(name: str, value: Any, where: str) -> Any:
    setting = next((setting for setting in TABLE if setting.name == name), None)
    if setting is None:
        known = ", ".join(setting.name for setting in TABLE)
        raise SettingsError(f"{where}: there is no setting {name!r}; known are {known}")
    wanted, given = type(setting.default), type(value)
    if given is not wanted and (given, wanted) != (int, float):
        shown = repr(value)[:80] if given in (str, bool) else given.__name__  # others may be too long to be written
        raise SettingsError(f"{where}: {name} has to be of type {wanted.__name__}, not {shown}")
    if wanted in (int, float) and not 0 <= value <= _MOST:
        raise SettingsError(f"{where}: {name} has to lie between 0 and {_MOST}")
    return float(value) if wanted is float else value


def _parsed(setting: Setting, text: str, variable: str) -> Any:
    wanted = type(setting.default)
    if wanted is bool:
        if text.lower() in (*_TRUE, *_FALSE):
            return text.lower() in _TRUE
        raise SettingsError(f"{variable}: {text!r} is neither true nor false")
    try:
        value = wanted(text)
    except ValueError as error:
        raise SettingsError(f"{variable}: {text[:40]!r} is no {wanted.__name__}") from error
    return _checked(setting.name, value, variable)
