"""S3: recordings are found where projects keep them, with their index directories, and nothing outside."""

from __future__ import annotations

import os

import pytest
from appmap_samples import INDEXED
from hypothesis import given
from hypothesis import strategies as st

from callsite.evidence.appmap.found import appmap_dir, find_recordings, index_problem


def write(root, *names, text="{}"):
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def found(root, given=()):
    return [os.path.relpath(one.path, root) for one in find_recordings(root, given=given).recordings]


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ("name: x\nappmap_dir: tmp/appmap\n", "tmp/appmap"),
        ("appmap_dir:   'a b/c'  # where\n", "a b/c"),
        ('appmap_dir: "x"', "x"),
        ("appmap_dir: out # maps", "out"),
        ("# appmap_dir: no\npackages:\n- path: app\n  appmap_dir: no\n", ""),
        ("appmap_dir:\n", ""),
        ("appmap_dir: out\r\nname: x\r\n", "out"),
        ("", ""),
    ],
)
def test_one_key_of_the_settings_counts(settings, expected):
    """At the beginning of a line; everything else may be any YAML."""
    assert appmap_dir(settings) == expected


@given(st.text(max_size=200))
def test_any_settings_can_be_read(text):
    """Whatever they are."""
    appmap_dir("appmap_dir" + text)


def test_recordings_are_found_where_projects_keep_them(tmp_path):
    """Where appmap.yml says, in tmp/appmap and in .appmap; of the direct parts as well."""
    write(tmp_path, "appmap.yml", text="appmap_dir: out/maps")
    write(tmp_path, "packages/web/appmap.yml", text="name: web")
    wanted = [
        ".appmap/a.appmap.json", "out/maps/pytest/b.appmap.json", "packages/web/tmp/appmap/c.appmap.json",
        "tmp/appmap/minitest/deep/d.appmap.json",
    ]  # fmt: skip
    write(tmp_path, *wanted, "src/e.appmap.json", "tmp/appmap/other.json", "node_modules/m/tmp/appmap/f.appmap.json")
    assert found(tmp_path) == wanted


def test_a_project_without_recordings_has_none(tmp_path):
    """And no problem."""
    result = find_recordings(tmp_path)
    assert (result.recordings, result.folders, result.problems) == ((), (), ())


def test_what_is_given_is_taken_instead(tmp_path):
    """Files, folders and patterns, relative to the project."""
    write(tmp_path, "tmp/appmap/a.appmap.json", "x/b.appmap.json", "x/y/c.appmap.json", "x/named.json")
    assert found(tmp_path, ["x"]) == ["x/b.appmap.json", "x/y/c.appmap.json"]
    assert found(tmp_path, ["x/named.json"]) == ["x/named.json"]
    assert found(tmp_path, ["x/*.appmap.json"]) == ["x/b.appmap.json"]
    assert found(tmp_path, ["x/**/*.appmap.json", "x"]) == ["x/b.appmap.json", "x/y/c.appmap.json"]


def test_what_is_given_and_not_there_is_named(tmp_path):
    """Never an error."""
    assert find_recordings(tmp_path, given=["no", "a\0b", "*.x"]).problems == (
        "no: no such recording or folder", "a path with a null character is left out",
        "*.x: no such recording or folder",
    )  # fmt: skip


@pytest.mark.parametrize("outside", ["../outside", "{absolute}"])
def test_settings_do_not_lead_out_of_the_project(outside, tmp_path):
    """A checkout from elsewhere must not read what else lies on the disk."""
    write(tmp_path, "outside/a.appmap.json", "project/x")
    place = outside.format(absolute=tmp_path / "outside")
    write(tmp_path, "project/appmap.yml", text=f"appmap_dir: {place}")
    result = find_recordings(tmp_path / "project")
    assert result.recordings == ()
    assert result.problems == (f"{place} lies outside the project and is left alone",)


def test_links_do_not_lead_out_of_the_project(tmp_path):
    """Nor in circles."""
    write(tmp_path, "outside/a.appmap.json", "project/tmp/appmap/b.appmap.json")
    (tmp_path / "project/.appmap").symlink_to(tmp_path / "outside")
    (tmp_path / "project/tmp/appmap/self").symlink_to(tmp_path / "project/tmp/appmap")
    assert found(tmp_path / "project") == ["tmp/appmap/b.appmap.json"]


def indexed(root, *, version="1.4.0", later=0.0):
    """A recording with its index, noted `later` seconds after the recording."""
    write(root, "tmp/appmap/a.appmap.json", "tmp/appmap/a/metadata.json", "tmp/appmap/a/classMap.json")
    mtime = (root / "tmp/appmap/a.appmap.json").stat().st_mtime
    write(root, "tmp/appmap/a/mtime", text=str((mtime + later) * 1000))
    write(root, "tmp/appmap/a/version", text=version)
    (one,) = find_recordings(root).recordings
    return one


@pytest.mark.parametrize("version", ["1.2.0", "1.4.0"])
def test_s3_an_index_as_new_as_its_recording_is_fresh(version, tmp_path):
    """The indexer notes the time of the recording."""
    one = indexed(tmp_path, version=version)
    assert (os.path.basename(one.index), index_problem(one)) == ("a", "")


def test_s3_an_index_older_than_its_recording_is_stale(tmp_path):
    """And says why."""
    assert index_problem(indexed(tmp_path, later=-5)) == "recorded again after it was indexed"


def test_s3_a_missing_or_silent_index_is_named(tmp_path):
    """Not silently skipped."""
    assert index_problem(indexed(tmp_path, version="junk")) == "its index does not say what it was made from"
    assert index_problem(indexed(tmp_path, version="2.0.0")) == "its index has version 2.0.0, of which nothing is known"
    write(tmp_path, "tmp/appmap/b.appmap.json")
    assert index_problem(find_recordings(tmp_path).recordings[1]) == "not indexed"


def test_s3_an_index_stands_for_a_recording_that_is_gone(tmp_path):
    """As AppMap's archives hold them."""
    one = indexed(tmp_path)
    os.remove(one.path)
    (left,) = find_recordings(tmp_path).recordings
    assert (left.path, left.gone, index_problem(left)) == (one.path, True, "")


def test_an_index_directory_may_be_given_itself():
    """With or without its recording."""
    (one,) = find_recordings(INDEXED.parent, given=[INDEXED]).recordings
    assert one.path == f"{INDEXED}.appmap.json"
    assert one.index == str(INDEXED)
