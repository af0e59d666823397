"""Reading loses nothing, refuses with a place and a reason, and writing is all or nothing."""

from __future__ import annotations

import codecs
import os
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gotcha_lint.text import source as source_module
from gotcha_lint.text.source import Unreadable, decode, read, write

TEXT = st.text(st.sampled_from("a(\t \f\v\n\r\u2028\x85é😀'#"), max_size=60)


def refusal(raw: bytes, path: str = "a.py") -> Unreadable:
    with pytest.raises(Unreadable) as caught:
        decode(path, raw)
    return caught.value


@given(TEXT, st.booleans())
def test_text_survives_the_round_trip(text: str, bom: bool) -> None:
    raw = codecs.BOM_UTF8 * bom + text.encode()
    source = decode("a.py", raw)
    assert source.text == text
    assert source.encode(source.text) == raw


@given(TEXT)
def test_positions_and_offsets_are_inverse(text: str) -> None:
    source = decode("a.py", text.encode())
    places = [source.position(offset) for offset in range(len(text) + 1)]
    assert places == sorted(set(places))
    for offset, (line, column, cell) in enumerate(places):
        assert cell is None
        assert source.offset(line, column) == offset
        assert source.lines()[line - 1][column - 1 : column] in (text[offset : offset + 1], "")
    assert len(source.lines()) == len(source.line_starts)


def test_lines_end_only_where_python_ends_them() -> None:
    source = decode("a.py", "a\fb\u2028c\r\nd\re\n\nf".encode())
    assert source.lines() == ("a\fb\u2028c", "d", "e", "", "f")
    assert source.line_starts == (0, 7, 9, 11, 12)


def test_places_outside_the_text_are_its_nearest_end() -> None:
    source = decode("a.py", b"ab\ncd")
    assert (source.position(99), source.position(-1)) == ((2, 3, None), (1, 1, None))
    assert (source.offset(1, 99), source.offset(9, 9), source.offset(0, 0)) == (3, 5, 0)
    assert decode("a.py", b"").position(0) == (1, 1, None)
    assert decode("a.py", b"").lines() == ("",)


@pytest.mark.parametrize(
    "raw, text, encoding",
    [
        (b"# coding: latin-1\nx = '\xe9'\n", "é", "iso-8859-1"),
        (b"#!/usr/bin/python\n# -*- coding: iso-8859-15 -*-\nx = '\xa4'", "€", "iso8859-15"),
        (b"\f\n# vim: set fileencoding=cp1252 :\nx = '\x80'\n", "€", "cp1252"),
        (b"# coding=utf8\r\nx = '\xc3\xa9'\r\n", "é", "utf-8"),
        (b"# coding: UTF_8-unix\rx = '\xc3\xa9'\r", "é", "utf-8"),
        (b"x = 1\n# coding: nonsense\ny = '\xc3\xa9'\n", "é", "utf-8"),
        (b"'''\n# coding: nonsense\n'''\n'\xc3\xa9'\n", "é", "utf-8"),
        (b"\n\n# coding: nonsense\n'\xc3\xa9'", "é", "utf-8"),
    ],
)
def test_the_declared_encoding_is_used(raw: bytes, text: str, encoding: str) -> None:
    source = decode("a.py", raw)
    assert text in source.text and source.encoding == encoding
    assert source.encode(source.text) == raw


def test_what_the_encoding_cannot_hold_is_not_written() -> None:
    with pytest.raises(UnicodeEncodeError):
        decode("a.py", b"# coding: latin-1\n").encode("€")


@pytest.mark.parametrize(
    "name", ["nonsense", "rot13", "hex", "utf-16", "utf_32_be", "x" * 5000, "..", "undefined"]
)
def test_unknown_encodings_are_refused(name: str) -> None:
    error = refusal(b"\n# coding: " + name.encode()[:4000] + b"\n")
    assert error.name == "undecodable-file" and error.line == 2
    assert name[:4000] in error.message


def test_a_byte_order_mark_must_agree_with_the_declaration() -> None:
    error = refusal(codecs.BOM_UTF8 + b"# coding: latin-1\n")
    assert error.name == "undecodable-file" and "latin-1" in error.message
    assert decode("a.py", codecs.BOM_UTF8 + b"# coding: utf-8\n").bom


def test_the_first_bad_byte_is_named() -> None:
    error = refusal("é = 1\r\nñb = '".encode() + b"\xff'\n")
    assert error.name == "undecodable-file"
    assert (error.line, error.column) == (2, 7) and "0xff" in error.message


def test_null_bytes_are_refused() -> None:
    error = refusal(b"a = 1\nb\0 = 2\n")
    assert error.name == "undecodable-file" and "null" in error.message
    assert (error.line, error.column) == (2, 2)


def test_the_guard_is_applied() -> None:
    assert refusal(b"(" * 500).name == "too-deeply-nested"


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(raw: bytes) -> None:
    for path in ("a.py", "a.ipynb"):
        try:
            source = decode(path, raw)
        except Unreadable as error:
            assert error.line >= 1 and error.column >= 1 and error.message
        else:
            assert source.encoding == "utf-8" or b"coding" in raw
            assert source.encode(source.text) == raw


@pytest.mark.parametrize("name", ["missing.py", "folder", "nul\0l.py"])
def test_what_cannot_be_read_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(Unreadable) as caught:
        read(str(tmp_path / name))
    assert caught.value.name == "unreadable-file"


def test_a_pipe_is_refused_without_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.py")
    with pytest.raises(Unreadable, match="regular"):
        read(str(tmp_path / "pipe.py"))


def test_huge_files_are_not_even_read(tmp_path: Path) -> None:
    with (tmp_path / "a.py").open("wb") as file:
        file.truncate(source_module._MAX_BYTES + 1)
    with pytest.raises(Unreadable) as caught:
        read(str(tmp_path / "a.py"))
    assert caught.value.name == "file-too-large"


def test_writing_keeps_the_mode_and_the_link(tmp_path: Path) -> None:
    folder = tmp_path / "real"
    folder.mkdir()
    real, link = folder / "a.py", tmp_path / "link.py"
    real.write_bytes(b"a")
    real.chmod(0o751)
    link.symlink_to(Path("real") / "a.py")
    write(str(link), b"b\r\n")
    assert link.is_symlink() and real.read_bytes() == b"b\r\n"
    assert stat.S_IMODE(real.stat().st_mode) == 0o751
    assert os.listdir(folder) == ["a.py"]


def test_a_new_file_gets_the_usual_mode(tmp_path: Path) -> None:
    (tmp_path / "usual").touch()
    write(str(tmp_path / "new.py"), b"")
    assert (tmp_path / "new.py").stat().st_mode == (tmp_path / "usual").stat().st_mode


@pytest.mark.parametrize("function", ["replace", "fsync", "chmod"])
def test_a_failed_write_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, function: str
) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(b"old")

    def fail(*_: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(source_module.os, function, fail)
    with pytest.raises(OSError, match="no space"):
        write(str(path), b"new")
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a.py"]
