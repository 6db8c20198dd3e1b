"""What a path says: its shelf, its words, whether it is the path that somebody wrote."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsite.text import paths
from callsite.text.paths import SHELVES, PathTerms, common_suffix, name_and_folder_terms, shelves, written_parts
from callsite.text.words import Words

ANY_PATH = st.lists(st.text(st.characters(codec=None), max_size=12), max_size=6).map("/".join)


def check_shelves(paths, expected):
    assert {path: shelves(path) for path in paths.split()} == dict.fromkeys(paths.split(), expected)


def test_tests_are_known_by_folder_or_name():
    """Of every language's habits."""
    check_shelves("tests/a.py src/test_a.py a_test.go a.spec.ts spec/a.rb src/AppTest.java conftest.py", ("tests",))
    check_shelves("src/AppTests.cs app/src/androidTest/A.kt pkg/testdata/a.txt FooSuite.scala e2e/login.ts", ("tests",))


def test_a_name_that_only_sounds_like_a_test_is_code():
    """`latest`, `contest`, `Manifest`."""
    check_shelves("src/latest.py contest.go attest/a.rs app/manifest.ts src/Biggest.java lib/protest_data.rb", ())


def test_docs_are_known_by_folder_name_or_format():
    """Pages, and the files that every repository has at its top."""
    check_shelves(
        "docs/a.py README README.md LICENSE LICENSE-MIT CHANGES.txt guide/a.rst x.md NEWS.zh.md TODO", ("docs",)
    )


def test_code_named_like_a_page_is_code():
    """`history.py` keeps a history, `newsletter.py` sends one."""
    check_shelves("src/history.py newsletter.py app/todo.ts authors_controller.rb license_check.go src/todos.tsx", ())


def test_examples_generated_files_and_reexports_have_shelves():
    """Each its own; one path may stand on several."""
    check_shelves("examples/a.go demo/a.c samples/x.cs benchmarks/a.py", ("examples",))
    check_shelves("dist/a.js api/user.pb.go user_pb2.py src/a.g.dart build/a.c", ("generated",))
    check_shelves("pkg/__init__.py src/index.ts", ("reexport",))
    check_shelves("examples/tests/a.py", ("tests", "examples"))
    check_shelves("src/a.py lib/perform.c a/building.rs", ())


def check_terms(path, name, folders):
    assert name_and_folder_terms(path, Words()) == (name.split(), folders.split())


def test_a_path_gives_terms_of_its_name_and_its_nearest_folders():
    """The extension says nothing; folders far up say little."""
    check_terms("src/user_store/loadUser.test.ts", "load user =loaduser", "src user store =userstore")
    check_terms("one/two/three/four/five/name.py", "name", "two three four five")
    check_terms("name", "name", "")
    check_terms(".gitignore", "gitignor =gitignore".split()[0], "")


def test_a_file_without_a_name_of_its_own_is_called_as_its_folder():
    """`__init__.py`, `index.js`, `mod.rs`, `lib.rs`, `main.go`."""
    for name in ("__init__.py", "index.js", "mod.rs", "lib.rs", "main.go"):
        check_terms(f"src/session/{name}", "session", "src session")
    check_terms("main.go", "main", "")


def test_terms_of_paths_are_remembered():
    """The same value, not only an equal one."""
    terms = PathTerms(Words())
    assert terms["a/b.py"] is terms["a/b.py"]


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("src/app.py", "src app.py"),
        ("./src/../app.py", "src app.py"),
        ("/usr/src/app.py", "usr src app.py"),
        ("C:\\proj\\src\\app.py", "C: proj src app.py"),
        ("~/proj/app.py", "proj app.py"),
        ("//host/a.py", "host a.py"),
        ("", ""),
        ("/", ""),
        ("../..", ""),
    ],
)
def test_a_written_path_has_parts(written, expected):
    """As people write it on any system."""
    assert written_parts(written) == expected.split()


@pytest.mark.parametrize(
    ("path", "written", "expected"),
    [
        ("src/app.py", "src/app.py", 2),
        ("src/app.py", "home/me/src/app.py", 2),
        ("src/app.py", "lib/app.py", 1),
        ("src/app.py", "src/my_app.py", 0),
        ("src/app.py", "src", 0),
        ("app.py", "", 0),
    ],
)
def test_paths_agree_from_the_end_on_whole_parts(path, written, expected):
    """Nothing agrees unless the file's name does."""
    assert common_suffix(path, written_parts(written)) == expected


@given(ANY_PATH)
def test_any_path_is_read(path):
    """Whatever its bytes were."""
    assert set(shelves(path)) <= set(SHELVES)
    name_and_folder_terms(path, Words())
    parts = written_parts(path)
    assert 0 <= common_suffix(path, parts) <= len(parts)


PARTS = "a tests test_a.py docs readme.md bench_x.py AppTest.java build a.min.js index.ts .md fuzz x_pb2.py".split()


@given(st.lists(st.sampled_from(PARTS), min_size=1, max_size=4).map("/".join))
def test_the_shelves_of_a_path_are_those_that_the_whole_path_matches(path):
    """Though folders and names are looked at apart."""
    matched = [name for name, pattern in paths._SHELF_PATTERNS.items() if re.search(pattern, path, re.IGNORECASE)]
    assert list(shelves(path)) == matched
