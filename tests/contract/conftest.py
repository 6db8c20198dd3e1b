"""Each test of the contract runs on every implementation, on a store without collections."""

from __future__ import annotations

import pytest

pytest.register_assert_rewrite("samples", "comparing")

from implementations import IMPLEMENTATIONS  # noqa: E402
from samples import emptied  # noqa: E402

if not {"elasticsearch", "opensearch"} & IMPLEMENTATIONS.keys():
    collect_ignore = ["test_search_servers.py"]


def pytest_collection_finish(session):
    """What the chosen tests will need starts behind those that come before them."""
    chosen = {item.callspec.params.get("opened") for item in session.items if hasattr(item, "callspec")}
    if not session.config.option.collectonly:
        for name in chosen & IMPLEMENTATIONS.keys():
            IMPLEMENTATIONS[name].begin()


@pytest.fixture(scope="session", params=IMPLEMENTATIONS)
def opened(request):
    """The store of a whole run, and what is expected of it: starting a server takes seconds."""
    implementation = IMPLEMENTATIONS[request.param]
    with implementation.open() as store:
        yield store, implementation


@pytest.fixture
def implementation(opened):
    """What is expected of the store's numbers."""
    return opened[1]


@pytest.fixture
def store(opened):
    """A store without collections."""
    return emptied(opened[0])
