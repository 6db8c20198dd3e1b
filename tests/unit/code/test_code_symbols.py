"""Which names does each language define, and what are its pieces called?"""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callsite.code import analyse
from callsite.code.sections import section_marks
from callsite.code.source import Source

CASES = {
    "a.py": (
        "import os\n"
        "\n"
        "LIMIT = 3\n"
        "\n"
        "\n"
        "@dataclass\n"
        "class A(B):\n"
        "    size: int = 1\n"
        "\n"
        "    @property\n"
        "    def total(self): ...\n"
        "\n"
        "\n"
        "async def main(): ...\n",
        "LIMIT A A.size A.total main",
    ),
    "a.js": (
        "const x = require('x')\n"
        "const f = async () => 1\n"
        "exports.g = function () {}\n"
        "A.prototype.run = function () {}\n"
        "module.exports = {\n"
        "  h() {},\n"
        "  i: () => 2,\n"
        "  j: 3,\n"
        "}\n"
        "class B {\n"
        "  k = () => 1\n"
        "  static m() {}\n"
        "}\n"
        "let n = 1\n",
        "f g A.run h i B B.k B.m n",
    ),
    "a.ts": (
        "export interface I {\n"
        "  a: string\n"
        "  m(): void\n"
        "}\n"
        "type T = 1\n"
        "export enum E {\n"
        "  P,\n"
        "  Q = 2,\n"
        "}\n"
        "export default class C {\n"
        "  private y = 1\n"
        "  get z() { return 1 }\n"
        "}\n"
        "namespace N {\n"
        "  export function f() {}\n"
        "}\n"
        "export const g = memo(() => 1)\n"
        "function o(a: 1): void\n"
        "function o(a: any) {}\n",
        "I I.a I.m T E E.P E.Q C C.y C.z N N.f g o",
    ),
    "a.tsx": (
        "export const View = () => <a>{1}</a>\n",
        "View",
    ),
    "a.go": (
        "package a\n"
        'import "b"\n'
        "type T struct { x int }\n"
        "type (\n"
        "  U int\n"
        ")\n"
        "func (t *T[K]) Run() {}\n"
        "func G() {}\n"
        "const (\n"
        "  P = iota\n"
        "  Q\n"
        ")\n"
        "var z = 1\n",
        "T U T.Run G P Q z",
    ),
    "A.java": (
        "package a;\n"
        "import b.C;\n"
        "public class A<T> {\n"
        "  int x = 1, y;\n"
        "  A() {}\n"
        "  void f() {}\n"
        "  enum E { P, Q; void z() {} }\n"
        "}\n"
        "interface I {\n"
        "  void g();\n"
        "}\n"
        "record R(int a) {}\n",
        "A A.x A.y A.A A.f A.E A.E.P A.E.Q A.E.z I I.g R",
    ),
    "a.kt": (
        "package a\n"
        "import b.c\n"
        "class A(val x: Int) : B() {\n"
        "  val y = 1\n"
        "  fun f() {}\n"
        "  companion object {\n"
        "    fun g() {}\n"
        "  }\n"
        "}\n"
        "fun String.ext(a: Int): Int = 1\n"
        "object O {\n"
        "  val z = 1\n"
        "}\n"
        "enum class E { P, Q }\n"
        "val q = 3\n",
        "A A.y A.f A.Companion A.Companion.g String.ext O O.z E E.P E.Q q",
    ),
    "a.rb": (
        'require "a"\n'
        "module A::B\n"
        "  X = 1\n"
        "  class C < D\n"
        "    def f; end\n"
        "    def self.g; end\n"
        "    class << self\n"
        "      def h; end\n"
        "    end\n"
        "  end\n"
        "end\n",
        "A::B A::B.X A::B.C A::B.C.f A::B.C.g A::B.C.h",
    ),
    "a.rs": (
        "use a::b;\n"
        "/// d\n"
        "#[derive(A)]\n"
        "pub struct S { a: u8 }\n"
        "impl<T> Foo<T> for Bar<T> {\n"
        "  const K: u8 = 1;\n"
        "  fn f() {}\n"
        "}\n"
        "enum E {\n"
        "  P,\n"
        "  Q,\n"
        "}\n"
        "trait R {\n"
        "  fn g();\n"
        "}\n"
        "macro_rules! m { () => {} }\n"
        "mod x {\n"
        "  fn h() {}\n"
        "}\n"
        "static Z: u8 = 1;\n",
        "S Bar.K Bar.f E E.P E.Q R R.g m x x.h Z",
    ),
    "a.c": (
        "#include <a.h>\n"
        "#define LIMIT 3\n"
        "#define MAX(a) a\n"
        "typedef struct {\n"
        "  int x;\n"
        "} q_t;\n"
        "typedef int (*cb)(int);\n"
        "enum e {\n"
        "  P,\n"
        "};\n"
        "int *h(void);\n"
        "static int f(int a) {\n"
        "  return a;\n"
        "}\n"
        "static int table[3];\n",
        "LIMIT MAX q_t q_t.x cb e e.P h f table",
    ),
    "a.cpp": (
        "namespace a {\n"
        "template <typename T>\n"
        "class X : Y {\n"
        " public:\n"
        "  int n;\n"
        "  void f() {}\n"
        "  ~X() {}\n"
        "};\n"
        "template <typename T>\n"
        "void X<T>::g(int* a) const {}\n"
        "using Z = int;\n"
        "}\n"
        "bool operator==(A a, B b) { return true; }\n",
        "a X X.n X.f X.~X X.g Z operator==",
    ),
    "a.cs": (
        "using A;\n"
        "namespace N.M\n"
        "{\n"
        "  [Foo]\n"
        "  public class C : D\n"
        "  {\n"
        "    int a;\n"
        "    public int P { get; set; }\n"
        "    public void F() {}\n"
        "    enum E { Q }\n"
        "  }\n"
        "  interface I { void G(); }\n"
        "  record R(int a);\n"
        "}\n",
        "N.M C C.a C.P C.F C.E C.E.Q I I.G R",
    ),
    "a.php": (
        "<?php\n"
        "namespace A\\B;\n"
        "use C\\D;\n"
        "class X {\n"
        "  const K = 1;\n"
        "  private $b = 2;\n"
        "  function f() {}\n"
        "}\n"
        "function g() {}\n"
        "trait T {}\n",
        "A\\B X X.K X.b X.f g T",
    ),
    "a.scala": (
        "package a\n"
        "import b.c\n"
        "class A(x: Int) {\n"
        "  def f(a: Int): Int = 1\n"
        "  val y = 2\n"
        "}\n"
        "object O {\n"
        "  type T = Int\n"
        "}\n"
        "trait R {\n"
        "  def q: Int\n"
        "}\n",
        "A A.f A.y O O.T R R.q",
    ),
    "a.swift": (
        "import F\n"
        "public class A: B {\n"
        "  let x = 1\n"
        "  init(a: Int) {}\n"
        "  func f() {}\n"
        "}\n"
        "extension A {\n"
        "  func g() {}\n"
        "}\n"
        "enum E {\n"
        "  case p, q\n"
        "}\n"
        "protocol P {\n"
        "  func r()\n"
        "}\n"
        "let z = 1\n",
        "A A.x A.init A.f A.g E E.p E.q P P.r z",
    ),
    "a.lua": (
        "local M = {}\n"
        "function M.foo(a) end\n"
        "M.a.b = function() end\n"
        "local function q() end\n"
        "M.x = 1\n"
        "local T = {\n"
        "  run = function() end,\n"
        "}\n"
        "return M\n",
        "M M.foo M.a.b q M.x T T.run",
    ),
    "a.sh": (
        "X=1\nexport Y=2\nfoo() {\n  :\n}\nfunction bar {\n  :\n}\n",
        "X Y foo bar",
    ),
    "a.ex": (
        "defmodule P.C do\n"
        "  alias Foo\n"
        "  @limit 3\n"
        "  @type t :: atom\n"
        '  @doc "hi"\n'
        "  @spec foo(a) :: b\n"
        "  def foo(a) when a > 1 do\n"
        "    a\n"
        "  end\n"
        "  def foo(_), do: 2\n"
        "  defp bar, do: 1\n"
        "end\n",
        "P.C P.C.limit P.C.t P.C.foo P.C.bar",
    ),
    "a.hs": (
        "module X where\n"
        "import A\n"
        "\n"
        "-- | doc\n"
        "foo :: Int -> Int\n"
        "foo 0 = 1\n"
        "foo n = n\n"
        "\n"
        "data T = A | B\n"
        "\n"
        "class C a where\n"
        "  f :: a -> a\n"
        "\n"
        "bar = 3\n",
        "foo T C C.f bar",
    ),
    "a.zig": (
        'const std = @import("std");\n'
        "pub const T = struct {\n"
        "    a: u8,\n"
        "    pub fn f(self: T) void {}\n"
        "};\n"
        "pub fn main() void {}\n",
        "T T.f main",
    ),
    "a.sql": (
        "CREATE TABLE foo.bar (a int);\nCREATE VIEW v AS SELECT 1;\nSELECT 1;\n",
        "bar v",
    ),
    "a.css": (
        "@import 'a';\n.a { b: c }\n@media x {\n  .b { c: d }\n}\n",
        ".a .b",
    ),
    "a.md": (
        "# One\ntext\n## Two\n```\n# no\n```\n## Three\n# Four\n",
        "One|One > Two|One > Three|Four",
    ),
    "a.rst": (
        "Title\n=====\n\ntext\n\nPart\n----\n\ntext\n",
        "Title|Title > Part",
    ),
    "a.yaml": (
        "# c\nname: x\non:\n  push: 1\njobs:\n  a: 1\n",
        "name on jobs",
    ),
    "a.toml": (
        "[project]\nname = 1\n[[tool.x]]\na = 1\n",
        "project tool.x",
    ),
    "a.json": (
        '{\n  "a": 1,\n  "b": {\n    "c": 2\n  }\n}\n',
        "a b",
    ),
    "Dockerfile": (
        "FROM a AS build\nRUN x\nFROM b AS run\n",
        "build run",
    ),
    "Makefile": (
        "all: x\n\techo\nX = 1\nclean:\n\trm\n",
        "all clean",
    ),
    "a.proto": (
        "message M {\n  int32 a = 1;\n}\nservice S {\n  rpc Get(M) returns (M);\n}\n",
        "M S S.Get",
    ),
    "a.graphql": (
        "type A {\n  b: Int\n}\ninput C {\n  d: Int\n}\n",
        "A C",
    ),
    "a.tf": (
        'resource "aws_x" "y" {\n  a = 1\n}\n',
        "resource aws_x y",
    ),
    "a.dart": (
        "class A {\n  void run(int a) {\n  }\n}\n",
        "A A.run",
    ),
    "a.ipynb": (
        "{\n"
        ' "cells": [\n'
        "  {\n"
        '   "cell_type": "code",\n'
        '   "source": [\n'
        '    "def f():\\n",\n'
        '    "  pass"\n'
        "   ]\n"
        "  }\n"
        " ],\n"
        ' "metadata": {}\n'
        "}\n",
        "f",
    ),
}


def names_in(path: str, source: str) -> list[str]:
    """The symbols of a text in their order."""
    return [symbol.name for piece in analyse(path, source.encode()).pieces for symbol in piece.symbols]


@pytest.mark.parametrize("path", CASES)
def test_symbols(path: str) -> None:
    """A language's definitions are found under their qualified names, in order."""
    source, expected = CASES[path]
    separator = "|" if "|" in expected or path == "a.tf" else " "
    assert names_in(path, source) == expected.split(separator)


@pytest.mark.parametrize("path", CASES)
def test_symbols_survive_carriage_returns(path: str) -> None:
    """Line ends of another system change no name."""
    source, _ = CASES[path]
    assert names_in(path, source.replace("\n", "\r\n")) == names_in(path, source)


def test_the_values_of_a_nameless_enumeration_are_found() -> None:
    """A short declaration without a name of its own, beside a long function, loses nothing."""
    function = "int f(void) {\n" + "  go();\n" * 40 + "}\n"
    assert names_in("a.c", "enum { P, Q };\n" + function + "enum { R };\n" + function) == ["P", "Q", "f", "R", "f"]


def test_a_long_wrapper_is_opened() -> None:
    """Functions inside `(function () {…})()` or `describe` are found when the wrapper is too long for a piece."""
    body = "    go()\n" * 60
    inner = "".join(f"  function f{n}() {{\n{body}  }}\n" for n in range(3))
    for head, tail in (("(function () {", "})()"), ("describe('x', () => {", "})")):
        assert names_in("a.js", f"{head}\n{inner}{tail}\n") == ["f0", "f1", "f2"]


def test_definitions_inside_conditions_are_found() -> None:
    """A definition that depends on a version or an optional import is one of the file's."""
    source = (
        "try:\n    import a\nexcept ImportError:\n    def f(): ...\nif X:\n    LIMIT = 1\nelse:\n    class A: ...\n"
    )
    assert names_in("a.py", source) == ["f", "LIMIT", "A"]
    assert names_in("a.php", "<?php\nif (!function_exists('f')) {\n  function f() {}\n}\n") == ["f"]


def test_symbols_know_their_line_and_depth() -> None:
    """Lines count from 1, depth from the top of the file."""
    (piece,) = analyse("a.py", b"# c\n@d\nclass A:\n    def f(self): ...\n").pieces
    assert [(symbol.name, symbol.kind, symbol.line, symbol.depth) for symbol in piece.symbols] == [
        ("A", "class", 3, 0),
        ("A.f", "function", 4, 1),
    ]


JSON_ROWS = [
    "{",
    "}",
    "",
    '  "a": 1,',
    '    "b"',
    ' "c",',
    '"top": 1',
    '\t"d\\"e"\t:',
    '  "cut',
    " : 2",
    "\r",
    '  "f"\r',
    '   "": {',
]


@given(st.lists(st.sampled_from(JSON_ROWS), max_size=12).map("\n".join))
def test_the_sections_of_json_are_its_outermost_keys(text: str) -> None:
    """As a look at one row after the other finds them."""
    rows = [re.match(r'([ \t]+)"((?:[^"\\]|\\.)*)"\s*:', row) for row in text.split("\n")]
    outermost = min((len(row[1]) for row in rows if row), default=0)
    expected = [(n, row[2].strip("\"'")) for n, row in enumerate(rows) if row and len(row[1]) == outermost]
    marks = section_marks("json", Source(text.encode()))
    assert [(mark.row, mark.name) for mark in marks] == expected
