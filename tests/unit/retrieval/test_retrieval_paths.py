"""A written path or module name means the files that agree best, or none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsite.retrieval.paths import PathIndex
from callsite.text.paths import written_parts

TREE = (
    "setup.py src/shop/cart.py src/shop/__init__.py lib/shop/cart.py web/cart.ts web/index.ts web/pages/index.ts "
    "src/shop/cart/view.py main/java/org/shop/Cart.java core/mod.rs app/models/user.rb pkg/app/setup.py"
).split()


def meant(found, paths):
    return [paths[file] for file in found]


def check_written(path, expected, tree=TREE):
    assert meant(PathIndex(dict(enumerate(tree))).written(path), tree) == expected.split()


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("src/shop/cart.py", "src/shop/cart.py"),
        ("shop/cart.py", "src/shop/cart.py lib/shop/cart.py"),
        ("cart.py", "src/shop/cart.py lib/shop/cart.py"),
        ("/usr/src/app/lib/shop/cart.py", "lib/shop/cart.py"),
        ("C:\\work\\src\\shop\\cart.py", "src/shop/cart.py"),
        ("//github.com/o/r/blob/main/web/cart.ts", "web/cart.ts"),
        ("./web/../web/cart.ts", "web/cart.ts"),
        ("org/shop/Cart.java", "main/java/org/shop/Cart.java"),
        ("/home/me/proj/setup.py", "setup.py"),
        ("/home/me/pkg/app/setup.py", "pkg/app/setup.py"),
        ("other/cart.py", ""),
        ("my_cart.py", ""),
        ("shop", ""),
        ("/", ""),
        ("", ""),
    ],
)
def test_the_longest_agreement_from_the_end_wins(written, expected):
    """Whole parts only; a name alone is enough when nothing else is written or the file lies at the top."""
    check_written(written, expected)


def test_the_order_of_the_files_does_not_matter():
    """A file at the top does not beat a longer agreement, whichever comes first."""
    check_written("/x/pkg/app/setup.py", "pkg/app/setup.py", ["setup.py", "pkg/app/setup.py"])
    check_written("/x/pkg/app/setup.py", "pkg/app/setup.py", ["pkg/app/setup.py", "setup.py"])
    check_written("/x/src/a.py", "src/a.py", ["src/a.py", "lib/src/b.py"])
    check_written("/x/lib/src/a.py", "lib/src/a.py", ["lib/src/a.py", "src/a.py"])


def test_a_file_of_an_installed_package_is_not_the_file_at_the_top():
    """Below `site-packages` lie other trees; what agrees in more than the name may still be ours."""
    check_written("/usr/lib/python3/site-packages/other/setup.py", "")
    check_written("/usr/lib/python3/site-packages/shop/cart.py", "src/shop/cart.py lib/shop/cart.py")
    check_written("/usr/lib/python3/site-packages/setup.py", "setup.py")


def test_a_name_that_many_files_have_means_none():
    """Six of them are a guess."""
    check_written("a.py", "", [f"{n}/a.py" for n in range(6)])
    check_written("a.py", "0/a.py 1/a.py 2/a.py 3/a.py 4/a.py", [f"{n}/a.py" for n in range(5)])


def check_module(name, expected):
    assert meant(PathIndex(dict(enumerate(TREE))).module(name), TREE) == expected.split()


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("src.shop.cart", "src/shop/cart.py"),
        ("shop.cart", "src/shop/cart.py lib/shop/cart.py"),
        ("shop.cart.total", "src/shop/cart.py lib/shop/cart.py"),
        ("shop.cart.view", "src/shop/cart/view.py"),
        ("org.shop.Cart", "main/java/org/shop/Cart.java"),
        ("com.other.org.shop.Cart", "main/java/org/shop/Cart.java"),
        ("web.pages", "web/pages/index.ts"),
        ("shop", "src/shop/__init__.py"),
        ("core", "core/mod.rs"),
        ("crate::core", ""),
        ("models.user#name", "app/models/user.rb"),
        ("os.path", ""),
        ("other.cart", ""),
        ("", ""),
        ("...", ""),
    ],
)
def test_a_module_name_means_its_file(name, expected):
    """Of a module, of a package, or of the module that the last part belongs to."""
    check_module(name, expected)


PATHS = st.lists(st.lists(st.sampled_from(["a", "b", "index", "a.py", "b.py"]), min_size=1, max_size=4), max_size=8)


@given(PATHS, st.text(st.sampled_from("ab/\\.py:~ "), max_size=20))
def test_what_is_found_always_agrees_in_the_name(paths, written):
    """And all that is found agrees equally far; no file twice."""
    tree = dict(enumerate("/".join(parts) for parts in paths))
    index = PathIndex(tree)
    found = index.written(written)
    assert len(found) == len(set(found)) <= 5
    assert {tree[file].rpartition("/")[2] for file in found} <= set(written_parts(written)[-1:])
    modules = index.module(written)
    assert len(modules) == len(set(modules)) <= 5
