"""A store is as a fresh one after its writer was killed; `scripts/stress --store-kills` does it often."""

from __future__ import annotations

import sys

import pytest
from store_campaign import kill_sync


@pytest.mark.skipif(sys.platform == "win32", reason="signals are those of POSIX")
def test_a_store_catches_up_after_kills(tmp_path):
    """No chunk is lost, none is left over, words are found."""
    result = kill_sync(tmp_path, n=12, seed=5)
    assert (result.n_done, result.n_compared) == (12, 3)
    assert result.n_killed > 2
