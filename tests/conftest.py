"""What all tests share: an index folder that dies with the run, and two ways for hypothesis to look for examples."""

from __future__ import annotations

import os
import shutil
import tempfile

import hypothesis
import pytest

hypothesis.settings.register_profile("ci", derandomize=True, max_examples=50, deadline=None, database=None)
hypothesis.settings.register_profile("wide", max_examples=2_000, deadline=None)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Golden texts can be written anew after a wanted change."""
    parser.addoption("--update-golden", action="store_true", help="write the golden texts instead of comparing them")


def pytest_configure(config: pytest.Config) -> None:
    """No test reads this user's settings or writes to this user's cache."""
    hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))
    for variable in [name for name in os.environ if name.startswith("CALLSITE_")]:
        del os.environ[variable]
    folder = tempfile.mkdtemp(prefix="callsite-tests-")
    os.environ["CALLSITE_HOME"] = os.path.join(folder, "cache")
    os.environ["XDG_CONFIG_HOME"] = os.path.join(folder, "config")
    config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))
