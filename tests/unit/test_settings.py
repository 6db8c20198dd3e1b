"""Settings come from files, the environment and the caller; later ones win; what can't be meant is one clear error."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsite.errors import SettingsError
from callsite.settings import OF_REPOSITORY, TABLE, Settings, is_debugging, load, terminal_wishes


@pytest.fixture
def places(tmp_path):
    """A user's configuration folder and a repository, as the environment and `load` name them."""
    (tmp_path / "config" / "callsite").mkdir(parents=True)
    (tmp_path / "root").mkdir()
    return tmp_path


def loaded(places, *, user="", repository="", environment=None, **given_):
    (places / "config" / "callsite" / "config.toml").write_text(user)
    (places / "root" / ".callsite.toml").write_text(repository)
    variables = {"XDG_CONFIG_HOME": str(places / "config")} | (environment or {})
    return load(str(places / "root"), variables, **given_)


def test_the_table_and_the_values_agree():
    """Each setting has a name, a default and a sentence of help."""
    assert Settings() == Settings(**{setting.name: setting.default for setting in TABLE})
    assert all(setting.help for setting in TABLE)
    assert load("", {}) == Settings()


def test_later_sources_win(places):
    """Default, user, repository, environment, caller."""
    assert loaded(places).max_file_size == 1_000_000
    assert loaded(places, user="max_file_size = 1").max_file_size == 1
    assert loaded(places, user="max_file_size = 1", repository="max_file_size = 2").max_file_size == 2
    environment = {"CALLSITE_MAX_FILE_SIZE": "3"}
    assert loaded(places, repository="max_file_size = 2", environment=environment).max_file_size == 3
    assert loaded(places, environment=environment, max_file_size=4).max_file_size == 4
    assert loaded(places, user="workers = 3", repository="max_file_size = 2") == Settings(workers=3, max_file_size=2)


@pytest.mark.parametrize("name", [setting.name for setting in TABLE if setting.name not in OF_REPOSITORY])
def test_a_checkout_sets_nothing_of_the_machine(places, name):
    """Whoever wrote the checkout does not decide where the index is written, or how many processes run."""
    value = repr(getattr(Settings(), name)).lower().replace("'", '"')
    check_error(places, f"{name} is yours to set", repository=f"{name} = {value}")


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({"CALLSITE_MAX_FILE_SIZE": "12"}, Settings(max_file_size=12)),
        ({"CALLSITE_SHARE_CLONES": "Yes"}, Settings(share_clones=True)),
        ({"CALLSITE_SHARE_CLONES": "off"}, Settings()),
        ({"CALLSITE_HOME": "/some/where"}, Settings(home="/some/where")),
        ({"CALLSITE_WAIT": ""}, Settings()),
        ({"CALLSITE_UNKNOWN": "1"}, Settings()),
    ],
)
def test_the_environment_is_read(environment, expected):
    """An empty variable says nothing, and others are not ours."""
    assert load("", environment) == expected


def check_error(places, message, **sources):
    with pytest.raises(SettingsError, match=message) as caught:
        loaded(places, **sources)
    assert "\n" not in str(caught.value).strip()
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("wait = 'long'", "wait has to be of type float, not 'long'"),
        ("wait = true", "wait has to be of type float, not True"),
        ("workers = 1.5", "workers has to be of type int, not float"),
        ("workers = true", "workers has to be of type int, not True"),
        ("workers = -1", "workers has to lie between 0 and"),
        ("wait = nan", "wait has to lie between 0 and"),
        ("wait = inf", "wait has to lie between 0 and"),
        ("max_file_size = 0x" + "f" * 9_000, "max_file_size has to lie between 0 and"),
        ("home = 0x" + "f" * 9_000, "home has to be of type str, not int"),
        ("home = [[0x" + "f" * 9_000 + "]]", "home has to be of type str, not list"),
        ("share_clones = 1", "share_clones has to be of type bool, not int"),
        ("waits = 1", "there is no setting 'waits'; known are home, max_file_size"),
        ("wait = ", "mend it or remove it"),
        ("wait = " + "9" * 5_000, "mend it or remove it"),
        ("wait = " + "[" * 5_000, "mend it or remove it"),
    ],
)
def test_a_file_that_cannot_be_meant_is_one_clear_error(places, text, message):
    """It names the file and what to do."""
    check_error(places, message, repository=text)
    check_error(places, "config.toml", user=text)


@pytest.mark.parametrize(
    ("environment", "message"),
    [
        ({"CALLSITE_WAIT": "soon"}, "CALLSITE_WAIT: 'soon' is no float"),
        ({"CALLSITE_WAIT": "nan"}, "CALLSITE_WAIT: wait has to lie between"),
        ({"CALLSITE_WORKERS": "-2"}, "CALLSITE_WORKERS: workers has to lie between"),
        ({"CALLSITE_WORKERS": "1.5"}, "CALLSITE_WORKERS: '1.5' is no int"),
        ({"CALLSITE_WORKERS": "9" * 5_000}, "is no int"),
        ({"CALLSITE_DEBUG": "maybe"}, "CALLSITE_DEBUG: 'maybe' is neither true nor false"),
    ],
)
def test_a_variable_that_cannot_be_meant_is_one_clear_error(places, environment, message):
    """It names the variable."""
    check_error(places, message, environment=environment)


def test_an_argument_that_cannot_be_meant_is_one_clear_error(places):
    """Unknown, or of the wrong type."""
    check_error(places, "argument: there is no setting 'speed'", speed=1)
    check_error(places, "argument: home has to be of type str", home=1)
    check_error(places, "argument: wait has to lie between", wait=-1.0)
    check_error(places, "argument: wait has to be of type float", wait=None)


def test_a_file_that_is_no_text_or_no_file_is_dealt_with(places):
    """Bytes that are no UTF-8 are an error, a folder of that name is none."""
    place = places / "root" / ".callsite.toml"
    place.write_bytes(b"\xff\xfe")
    with pytest.raises(SettingsError, match="mend it or remove it"):
        load(str(places / "root"), {})
    place.unlink()
    place.mkdir()
    assert load(str(places / "root"), {}) == Settings()
    assert load("no\0where", {}) == Settings()


def test_the_users_file_lies_where_the_platform_keeps_such(places):
    """The XDG folder, Windows' own, or below the home folder."""
    (places / "config" / "callsite" / "config.toml").write_text("wait = 7")
    (places / ".config").symlink_to(places / "config")
    for environment in ({"APPDATA": str(places / "config")}, {"HOME": str(places)}, {"USERPROFILE": str(places)}):
        assert load("", environment).wait == 7.0


def test_the_number_of_workers_is_bounded_by_the_cores():
    """Unless it is said."""
    assert 1 <= Settings().n_workers <= 8
    assert Settings(workers=20).n_workers == 20


@pytest.mark.parametrize(
    ("environment", "plain", "columns"),
    [
        ({}, False, 0),
        ({"NO_COLOR": "1"}, True, 0),
        ({"NO_COLOR": ""}, False, 0),
        ({"TERM": "dumb", "COLUMNS": "120"}, True, 120),
        ({"COLUMNS": "wide"}, False, 0),
        ({"COLUMNS": "9" * 5_000}, False, 999_999),
        ({"COLUMNS": "²"}, False, 0),
    ],
)
def test_the_wishes_of_the_terminal_are_read(environment, plain, columns):
    """Variables that all programs share."""
    wishes = terminal_wishes(environment)
    assert (wishes.plain, wishes.columns) == (plain, columns)


@given(st.text(max_size=10))
def test_whether_somebody_debugs_is_always_known(text):
    """It is asked when something failed already."""
    assert is_debugging({"CALLSITE_DEBUG": text}) == (text.lower() in ("1", "true", "yes", "on"))
    terminal_wishes({"COLUMNS": text})
    assert not is_debugging({})
