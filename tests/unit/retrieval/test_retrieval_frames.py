"""Frames find the files that they mean on another machine and in another version; never a wrong one."""

from __future__ import annotations

import pytest

from callsite.evidence.traces.values import Frame, Trace
from callsite.retrieval.frames import DECAY, locate
from callsite.retrieval.paths import PathIndex

TREE = (
    "lib/utils.js lib/document.js lib/model.js src/core/importType.ts src/shop/cart.py app/setup.py setup.py"
    " server.go modules/web/server.go src/main/java/org/shop/Cart.java index.js lib/index.js"
).split()


def located(*traces, tree=TREE, definers=lambda owner, name: []):
    paths = dict(enumerate(tree))
    return [(tree[one.file], one.frame.line) for one in locate(traces, PathIndex(paths), definers)]


def trace(*paths, language="python", error=""):
    frames = tuple(Frame(path=path, line=line) for line, path in enumerate(paths, 1))
    return Trace(language=language, frames=frames, error=error)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/home/ci/work/shop/src/shop/cart.py", "src/shop/cart.py"),
        ("C:\\ci\\src\\shop\\cart.py", "src/shop/cart.py"),
        ("/usr/lib/python3.11/site-packages/shop/cart.py", "src/shop/cart.py"),
        ("org/shop/Cart.java", "src/main/java/org/shop/Cart.java"),
        ("/srv/go/pkg/mod/example.org/x@v1.2.3/modules/web/server.go", "modules/web/server.go"),
        ("node_modules/plugin/lib/core/importType.js", "src/core/importType.ts"),
        ("/app/node_modules/mongoose/lib/document.js", "lib/document.js"),
        ("/app/node_modules/.pnpm/mongoose@8.0.0/node_modules/mongoose/lib/document.js", "lib/document.js"),
        ("/other/cart.py", ""),
        ("/usr/lib/python3.11/site-packages/other/setup.py", ""),
        ("node_modules/express/lib/router.js", ""),
        ("", ""),
    ],
)
def test_a_path_of_another_machine_means_the_file_that_agrees(path, expected):
    """On whole parts; inside an installed package all of it has to agree."""
    assert [found for found, _ in located(trace(path))] == [expected] * bool(expected)


def test_of_several_packages_one_is_the_project():
    """The one whose frames find most places; files of the others are never ours, whatever they are called."""
    found = located(
        trace(
            "/app/node_modules/express/lib/utils.js", "/app/node_modules/mongoose/lib/document.js",
            "/app/node_modules/mongoose/lib/model.js", "/app/node_modules/express/lib/index.js",
            "/app/node_modules/mongoose/lib/utils.js",
        )
    )  # fmt: skip
    assert found == [("lib/document.js", 2), ("lib/model.js", 3), ("lib/utils.js", 5)]


def test_frames_that_lie_elsewhere_take_nothing_away():
    """The innermost one of the tree counts in full, the next a factor less."""
    paths = dict(enumerate(TREE))
    frames = trace("/usr/lib/python3.11/json.py", "/x/src/shop/cart.py", "/usr/lib/x.py", "/x/app/setup.py")
    found = locate([frames], PathIndex(paths), lambda owner, name: [])
    assert [one.weight for one in found] == [1.0, DECAY]


def test_the_cause_counts_more_than_what_it_caused():
    """Python prints it first, the JVM last."""
    for language, first in (("python", "src/shop/cart.py"), ("jvm", "lib/utils.js")):
        traces = (trace("/x/src/shop/cart.py", language=language), trace("/x/lib/utils.js", language=language))
        assert located(*traces)[0][0] == first


def test_names_find_files_where_no_path_is_printed():
    """.NET without symbols."""
    frames = Trace(language="dotnet", frames=(Frame(owner="Shop.Cart", function="Total"),))
    assert located(frames, definers=lambda owner, name: [4] if (owner, name) == ("Shop.Cart", "Total") else []) == [
        ("src/shop/cart.py", 0)
    ]
    runtime = Trace(language="dotnet", frames=(Frame(owner="System.Linq", function="First", origin="runtime"),))
    assert located(runtime, definers=lambda owner, name: [4]) == []
