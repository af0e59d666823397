"""Text: every byte predicted once, nothing held out that is also trained on, errors that help."""

from __future__ import annotations

import gc
import platform
import sys
import sysconfig
from pathlib import Path
from typing import get_args, get_type_hints

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference_trainer import sources as corpus
from reference_trainer.config import Data, DataError
from reference_trainer.data.batch import Corpus, Document
from reference_trainer.sources import functions, load, text

PLAIN = st.binary(max_size=60).map(lambda content: content.replace(b"\0", b"\n"))


def texts(documents: list[Document]) -> list[bytes]:
    """What the documents predict, cut at the separators."""
    predicted = b"".join(bytes(d.targets[:, 0].astype(np.uint8)) for d in documents)
    assert predicted.endswith(b"\0")
    return predicted[:-1].split(b"\0")


def read(folder: Path, *given: str, **settings) -> Corpus:
    paths = tuple(str(folder / name) for name in given)
    return load(Data(source="files", paths=paths, **settings))


@pytest.fixture
def library(tmp_path, monkeypatch):
    """Makes a standard library of files with functions, names and sources given."""

    def make(files: dict[str, str]) -> None:
        for name, source in files.items():
            file = tmp_path / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(source)
        monkeypatch.setattr(sysconfig, "get_paths", lambda: {"stdlib": str(tmp_path)})

    return make


def numbered(count: int, functions: int = 1) -> dict[str, str]:
    bodies = {i: [f"def f{i}_{j}(): return {j}\n" for j in range(functions)] for i in range(count)}
    return {f"file{i}.py": "".join(body) for i, body in bodies.items()}


def file_numbers(documents: list[Document]) -> set[int]:
    return {int(text.split(b"_")[0].removeprefix(b"def f")) for text in texts(documents)}


@settings(deadline=None)
@given(
    documents=st.lists(PLAIN.filter(bool), min_size=2, max_size=6),
    length=st.integers(1, 40),
)
def test_each_byte_and_each_separator_is_predicted_once_from_the_byte_before(documents, length):
    made = text._documents(documents, Data(length=length))
    assert texts(made) == documents
    before = 0
    for document in made:
        assert len(document.inputs) == len(document.targets) <= length
        assert document.inputs.dtype == document.targets.dtype == np.uint8
        assert document.inputs[0, 0] == before
        assert np.array_equal(document.inputs[1:], document.targets[:-1])
        before = document.targets[-1, 0]


def test_documents_are_cut_only_where_they_must_be():
    made = text._documents([b"a" * 7, b"b" * 8], Data(length=8))
    assert [len(document.inputs) for document in made] == [8, 8, 1]


def test_the_default_is_functions_of_the_standard_library():
    found = load(Data(limit=60, length=128))
    train, held_out = texts(found.train), texts(found.held_out)
    assert (len(train), len(held_out)) == (54, 6)
    assert all(t.lstrip().startswith((b"def ", b"async def ", b"@")) for t in train + held_out)
    assert found.unit == "byte"
    assert found.about["train"] == {"texts": 54, "bytes": sum(map(len, train))}


def test_the_same_data_has_the_same_digest_however_it_is_cut():
    digests = [
        load(Data(limit=n, length=m)).about["digest"] for n, m in [(20, 64), (20, 9), (21, 9)]
    ]
    assert digests[0] == digests[1] != digests[2]


def test_methods_are_texts_and_nested_functions_stay_inside(library):
    method = "    @property\n    def a(self):\n        def inner(): pass\n        return inner\n"
    other = "try:\n    import x\nexcept ImportError:\n    async def b(): pass\nc = lambda: 0\n"
    library({f"{i}.py": f"class A:\n{method}{other}" for i in range(9)} | numbered(40))
    both = load(Data())
    found = set(texts(both.train) + texts(both.held_out))
    assert {method.encode(), b"    async def b(): pass\n"} <= found
    assert len(found) == 40 + 2


def test_whole_files_are_held_out_and_stay_so_when_others_come(library):
    library(numbered(200, functions=3))
    some = load(Data(held_out=0.2))
    assert not file_numbers(some.train) & file_numbers(some.held_out)
    assert len(file_numbers(some.train)) + len(file_numbers(some.held_out)) == 200
    assert 20 <= len(file_numbers(some.held_out)) <= 60
    library(numbered(260, functions=3))
    more = load(Data(held_out=0.2))
    assert file_numbers(some.held_out) == {n for n in file_numbers(more.held_out) if n < 200}


def test_no_text_comes_twice(library):
    library({f"{i}.py": f"def same(): pass\ndef own{i}(): pass\n" * 2 for i in range(50)})
    both = load(Data())
    found = texts(both.train) + texts(both.held_out)
    assert len(found) == len(set(found)) == 51


def test_a_small_limit_sees_many_files_and_reads_no_more_than_it_needs(library, monkeypatch):
    library(numbered(100, functions=40))
    parsed, parse = [], functions._functions_of
    monkeypatch.setattr(functions, "_functions_of", lambda path: parsed.append(path) or parse(path))
    found = load(Data(limit=320))
    assert len(texts(found.train)) == 288 and len(texts(found.held_out)) == 32
    assert len(file_numbers(found.train)) == 9
    assert len(parsed) == 10


def test_what_the_first_files_have_left_fills_a_large_limit(library):
    library(numbered(20, functions=40))
    everything = load(Data())
    counts = [len(texts(part)) for part in (everything.train, everything.held_out)]
    assert sum(counts) == 20 * 40
    limited = load(Data(limit=790))
    assert len(texts(limited.train)) == min(711, counts[0])


def test_tests_packages_and_files_that_do_not_parse_are_left_out(library):
    junk = {"test/a.py": "def f901_0(): pass", "site-packages/b.py": "def f902_0(): pass"}
    library(numbered(40) | junk | {"template.py": "def f903_0(: pass", "zero.py": "\0"})
    found = load(Data())
    assert max(file_numbers(found.train) | file_numbers(found.held_out)) == 39


def test_a_python_without_sources_reads_packages(library, monkeypatch):
    library({"readme.txt": "no sources"})
    monkeypatch.setattr(functions, "PACKAGES", ("pytest", "hypothesis", "no_such_package"))
    found = load(Data(limit=50))
    assert found.about["origin"] == f"installed packages, Python {platform.python_version()}"
    assert len(texts(found.train)) == 45


def test_the_collector_is_as_it_was(library):
    library(numbered(40))
    load(Data())
    assert gc.isenabled()
    gc.disable()
    try:
        load(Data())
        assert not gc.isenabled()
    finally:
        gc.enable()


@settings(deadline=None)
@given(content=st.lists(PLAIN, min_size=1).map(b"\n\n".join), length=st.integers(1, 30))
def test_a_text_is_cut_into_parts_that_fit_and_make_it_again(content, length):
    parts = list(text._parts(content, length))
    assert b"".join(parts) == content
    assert all(1 <= len(part) <= length for part in parts)
    assert all(len(part) * 2 >= length - 1 for part in parts[:-1])


def test_cuts_are_at_blank_lines_else_lines_else_words():
    def parts(content: bytes) -> list[bytes]:
        return list(text._parts(content, 16))

    assert parts(b"one two three\n\na\nfour five") == [b"one two three\n\n", b"a\nfour five"]
    assert parts(b"one two\n\nthree\nfour five") == [b"one two\n\nthree\n", b"four five"]
    assert parts(b"one two three four five") == [b"one two three ", b"four five"]
    assert parts(b"o" * 20) == [b"o" * 16, b"o" * 4]


def test_the_end_of_one_file_is_held_out(tmp_path):
    content = "".join(f"line {i}\n" for i in range(300)).encode()
    (tmp_path / "a.txt").write_bytes(content)
    found = read(tmp_path, "a.txt", length=32, held_out=0.25)
    train, held_out = b"".join(texts(found.train)), b"".join(texts(found.held_out))
    assert train + held_out == content
    assert len(held_out) == pytest.approx(0.25 * len(content), rel=0.1)


def test_of_many_files_one_at_most_is_in_both_parts(tmp_path):
    for i in range(30):
        (tmp_path / f"sub{i % 3}").mkdir(exist_ok=True)
        (tmp_path / f"sub{i % 3}" / f"{i}.txt").write_text(f"file{i}\n" * 50)
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "x").write_bytes(b"\0hidden")
    found = read(tmp_path, "", length=64)
    train, held_out = (b" ".join(texts(part)).split() for part in (found.train, found.held_out))
    assert len(set(train) | set(held_out)) == 30
    assert len(set(train) & set(held_out)) <= 1
    assert len(train) + len(held_out) == 30 * 50


def test_a_file_given_twice_is_read_once(tmp_path):
    (tmp_path / "a.txt").write_text("word " * 100)
    once, twice = read(tmp_path, "a.txt", length=16), read(tmp_path, "a.txt", "", length=16)
    assert once.about["digest"] == twice.about["digest"]


def test_a_limit_takes_documents_from_the_whole_text(tmp_path):
    (tmp_path / "a.txt").write_text("".join(f"{i:04}\n\n" for i in range(1000)))
    found = read(tmp_path, "a.txt", length=7, limit=100)
    assert (len(texts(found.train)), len(texts(found.held_out))) == (90, 10)
    assert [int(t) for t in texts(found.train)] == list(range(0, 900, 10))
    assert [int(t) for t in texts(found.held_out)] == list(range(900, 1000, 10))


@pytest.mark.parametrize(
    ("content", "output"),
    [
        (None, "no such file or folder"),
        (b"", "too little text"),
        (b"one", "too little text"),
        (b"GIF\0", "zero bytes"),
    ],
)
def test_errors_name_the_file(tmp_path, content, output):
    if content is not None:
        (tmp_path / "a.txt").write_bytes(content)
    with pytest.raises(DataError, match=rf"a\.txt: .*{output}"):
        read(tmp_path, "a.txt")


def test_an_unreadable_file_and_an_empty_folder_are_errors(tmp_path):
    with pytest.raises(DataError, match="too little text"):
        read(tmp_path, "")
    (tmp_path / "gone.txt").symlink_to(tmp_path / "nowhere")
    with pytest.raises(DataError, match=r"nowhere: No such file"):
        read(tmp_path, "")


def test_every_source_of_the_settings_has_its_function():
    assert set(corpus.SOURCES) == set(get_args(get_type_hints(Data)["source"]))


def test_other_data_sets_are_not_imported(tmp_path, monkeypatch):
    (tmp_path / "a.txt").write_text("word " * 100)
    monkeypatch.setitem(sys.modules, "reference_trainer.extras.chorales", None)
    read(tmp_path, "a.txt", length=16)
    with pytest.raises(ImportError):
        load(Data(source="chorales"))
