"""A notebook's cells are one Python text; writing back touches only the cells that changed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import libcst as cst
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gotcha_lint.text.magics import to_python
from gotcha_lint.text.source import Source, Unreadable, decode
from tests.lint.support import lint_files


def notebook(
    *sources: str | list[str], indent: int | None = 1, escapes: bool = False, **extra: Any
) -> str:
    cells: list[dict[str, Any]] = [{"cell_type": "markdown", "metadata": {}, "source": "# (["}]
    for source in sources:
        cells.append(
            {"cell_type": "code", "metadata": {}, "outputs": [{"text": "é"}], "source": source}
        )
    data = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5} | extra
    return json.dumps(data, indent=indent, ensure_ascii=escapes) + "\n"


def source_of(*sources: str | list[str], **extra: Any) -> Source:
    return decode("a.ipynb", notebook(*sources, **extra).encode())


def texts(source: Source) -> list[str]:
    assert source.notebook is not None
    return [cell.text for cell in source.notebook.cells]


def refusal(text: str) -> Unreadable:
    with pytest.raises(Unreadable) as caught:
        decode("a.ipynb", text.encode())
    return caught.value


def test_cells_are_joined_and_positions_count_within_them() -> None:
    source = source_of(["import jax\n", "x = 1"], "y = 2\n", "")
    assert texts(source) == ["import jax\nx = 1", "y = 2\n", ""]
    assert cst.parse_module(source.text).code == source.text
    assert source.position(source.text.index("x =")) == (2, 1, 1)
    assert source.position(source.text.index("2")) == (1, 5, 2)
    assert source.position(len(source.text)) == (1, 1, 3)
    assert source.offset(1, 5, 2) == source.text.index("2")
    assert source.lines(1) == ("import jax", "x = 1")
    for offset in range(len(source.text) + 1):
        line, column, cell = source.position(offset)
        assert source.position(source.offset(line, column, cell)) == (line, column, cell)


@pytest.mark.parametrize(
    "magic, python",
    [
        ("%matplotlib inline", "...               "),
        ("%ls", "..."),
        ("!", "!"),
        ("!pip install 'a (b", "...               "),
        ("! ls", "... "),
        (
            "if a:\n  ! pip install b\n  c = ! ls\n  d = a != b",
            """if a:
  ...            
  c = ... 
  d = a != b""",
        ),
        ("if a:\n    %time f(x)\n    g()", "if a:\n    ...       \n    g()"),
        ("x = %timeit -o f(x)", "x = ...            "),
        ("x, y = !ls", "x, y = ..."),
        ("?f", "0 "),
        ("??f.g", "...  "),
        ("f.g??", "...  "),
        ("f?", "0 "),
        ("!a \\\n  b\nc = 1", "... \n   \nc = 1"),
        ("x = (a\n  % b)\n%cd a\ny = a \\\n % b", "x = (a\n  % b)\n...  \ny = a \\\n % b"),
        ("'''\n%a\n!b\nc?\n'''\n%d", "'''\n%a\n!b\nc?\n'''\n0 "),
        ("print(f'{x=!r}', x % y, a != b)  # ok?", "print(f'{x=!r}', x % y, a != b)  # ok?"),
        ("%%time\nx = 1", "...   \nx = 1"),
        ("\n%%timeit -n 1 y = 2\n%ls\nx = 1", "\n...                \n...\nx = 1"),
        ("%%bash\nls 'a\n\n(", "#     \n#    \n\n#"),
        ("%%html\r\n<a>\r\n", "#     \r\n#  \r\n"),
        ("#@title A\n\n%%bash\nif [ (", "#        \n\n#     \n#     "),
        ("%%capture\n%%bash\nif [ (", "#        \n#     \n#     "),
        ("%%capture out\n\n%%time\n%%html\n<a>", "#            \n\n#     \n#     \n#  "),
        ("%%capture out\n%%time\nx = 1", "...          \n...   \nx = 1"),
        ("# timed\n%%time\nx = 1", "# timed\n...   \nx = 1"),
        ("pip install a b\nx = 1", "...            \nx = 1"),
        ("conda install 'a (b", "...                "),
        ("pip = install\npip in installed", "pip = install\npip in installed"),
    ],
)
def test_magics_become_python_of_the_same_shape(magic: str, python: str) -> None:
    masked = to_python(magic)
    assert masked.text == python
    assert len(masked.text) == len(magic)


@given(st.text("%!?=x. \t\n\r'\"()\\#:", max_size=40))
def test_any_cell_keeps_its_shape(text: str) -> None:
    for prefix in ("", "%%time\n", "%%bash\n", "x = 1\n"):
        source = prefix + text
        masked = to_python(source).text
        assert len(masked) == len(source)
        assert [c for c in masked if c in "\r\n"] == [c for c in source if c in "\r\n"]


@given(
    st.lists(st.text("%!?=x1. \n'\"()#:é\\", max_size=20), max_size=5), st.sampled_from([None, 1])
)
@example(["\\\n1"], None)
def test_any_notebook_can_be_parsed_and_comes_back(sources: list[str], indent: int | None) -> None:
    raw = notebook(*sources, indent=indent).encode()
    source = decode("a.ipynb", raw, strict=True)
    assert source.encode(source.text) == raw
    written = cst.parse_module(source.text).code
    assert written.replace("\\\n", "") == source.text.replace("\\\n", "")  # LibCST loses some


def test_a_broken_cell_is_reported_and_does_not_hurt_the_others() -> None:
    bad = (["y = 2\n", "x = = 3\n", "  pass"], "(" * 300, "\ud800")
    source = source_of("x = 1", *bad, "z = 3", escapes=True)
    assert source.notebook is not None
    assert texts(source)[1] == "#    \n#      \n#     "
    assert [(e.name, e.cell) for e in source.notebook.broken] == [
        ("syntax-error", 2), ("too-deeply-nested", 3), ("undecodable-file", 4)
    ]  # fmt: skip
    assert source.notebook.broken[0].line == 2
    assert len(cst.parse_module(source.text).body) == 2
    assert source.lines(2) == ("y = 2", "x = = 3", "  pass")


@pytest.mark.parametrize("text", ["x = 1 \\", "@f", "elif x:\n  y", "x\0", "'''", "x\x1fy"])
def test_a_cell_cannot_reach_into_the_next(text: str) -> None:
    source = source_of(text, "z = 3")
    assert source.notebook is not None
    assert [error.cell for error in source.notebook.broken] == [1]
    assert len(cst.parse_module(source.text).body) == 1


def test_a_cell_that_is_indented_as_a_whole_is_no_error() -> None:
    """IPython takes the indentation off; here the cell is passed over."""
    bad = "  x = ("
    source = source_of("  x = 1\n  y = 2", "z = 3", "  # a comment\nz = 4", "\n  x = 1\n", bad)
    assert source.notebook is not None
    assert [error.cell for error in source.notebook.broken] == [5]
    assert len(cst.parse_module(source.text).body) == 2


def test_top_level_await_is_fine() -> None:
    source = source_of("x = await f()", "async with a as b:\n  pass")
    assert source.notebook is not None and not source.notebook.broken
    cst.parse_module(source.text)


def test_only_the_changed_cell_is_rewritten() -> None:
    text = notebook(["%time\n", "x = 'é'\n", "y = 1"], "a = 1\n!ls\nb = 2", ["c = 3"])
    source = decode("a.ipynb", text.encode())
    new = source.encode(source.text.replace("y = 1", "y = 2\nz = 3")).decode()
    assert new == text.replace('"y = 1"', '"y = 2\\n",\n    "z = 3"')
    new = source.encode(source.text.replace("b = 2", 'b = "€"')).decode()
    assert new == text.replace("b = 2", 'b = \\"€\\"')
    new = source.encode(source.text.replace("c = 3", "c = 4\nd = 5")).decode()
    assert new == text.replace('"c = 3"', '"c = 4\\n",\n    "d = 5"')


def test_lines_that_stay_are_copied_as_they_were_written() -> None:
    text = notebook("x").replace('"x"', '["a = \'\\u00e9\\/\'\\n",   "b = 1"]').replace("é", "e")
    source = decode("a.ipynb", text.encode())
    new = source.encode(source.text.replace("b = 1", "b = 'ü'\nc")).decode()
    assert new == text.replace('"b = 1"', '"b = \'\\u00fc\'\\n",   "c"')


def test_magics_come_back_unchanged() -> None:
    text = notebook(["%%time\n", "import a\n", "%ls\n", "x = !ls\n", "b = 1"])
    source = decode("a.ipynb", text.encode())
    changed = source.text.replace("import a\n", "import a\nimport c\n").replace("b = 1", "b = 2")
    new = json.loads(source.encode(changed))
    assert "".join(new["cells"][1]["source"]) == (
        "%%time\nimport a\nimport c\n%ls\nx = !ls\nb = 2"
    )  # fmt: skip


@pytest.mark.parametrize(
    "old, new", [("...", "pass"), ("#", ""), ("#\x1f", ""), ("y = 1", "y\n#\x1f\nz")]
)
def test_changes_that_cannot_be_written_are_refused(old: str, new: str) -> None:
    source = source_of("%ls\nx = 1", "%%bash\nls", "y = 1")
    assert old in source.text
    with pytest.raises(ValueError):
        source.encode(source.text.replace(old, new, 1))


def test_an_empty_cell_can_be_filled() -> None:
    for empty in ("", []):
        source = source_of(empty)
        new = json.loads(source.encode("import a\nb"))
        assert "".join(new["cells"][1]["source"]) == "import a\nb"


def test_a_byte_order_mark_stays() -> None:
    raw = b"\xef\xbb\xbf" + notebook("x = 1").encode()
    source = decode("a.ipynb", raw)
    assert source.encode(source.text) == raw
    assert source.encode("x = 2").startswith(b"\xef\xbb\xbf{")


@pytest.mark.parametrize(
    "metadata, count",
    [
        ({"kernelspec": {"language": "julia"}}, 0),
        ({"language_info": {"name": "R"}}, 0),
        ({"kernelspec": {"language": "python", "name": "python3"}}, 1),
        ({"kernelspec": {"name": "mine"}, "language_info": {"name": "ipython"}}, 1),
        ({"kernelspec": None}, 1),
        (None, 1),
    ],
)
def test_other_languages_have_no_cells(metadata: object, count: int) -> None:
    source = source_of("x = 1", metadata=metadata)
    assert len(texts(source)) == count
    assert source.position(0) == (1, 1, 1 if count else None)
    assert source.encode(source.text) == source.raw
    assert source.lines() == ("x = 1",) if count else ("",)


def test_cells_in_another_language_are_blank() -> None:
    text = notebook("ls (", "x").replace(
        '"metadata": {}', '"metadata": {"vscode": {"languageId": "sh"}}', 2
    )
    assert texts(decode("a.ipynb", text.encode())) == ["#   ", "x"]


@pytest.mark.parametrize(
    "text, name, words",
    [
        ("", "syntax-error", "not a valid notebook"),
        ("[]", "syntax-error", "object"),
        ('{"cells": [}', "syntax-error", "not a valid notebook"),
        ('{"cells": []} x', "syntax-error", "Extra data"),
        ('{"cells": [],}', "syntax-error", "not a valid notebook"),
        ('{"cells" []}', "syntax-error", "':'"),
        ("{}", "unreadable-file", "nbformat"),
        ('{"nbformat": 3, "worksheets": []}', "unreadable-file", "3"),
        ('{"nbformat": 4}', "unreadable-file", "cells"),
        ('{"nbformat": 4, "cells": {}}', "unreadable-file", "cells"),
        ('{"nbformat": 4, "cells": [\n 1]}', "unreadable-file", "cell 1"),
        ('{"nbformat": 4, "cells": [{}]}', "unreadable-file", "cell_type"),
        ('{"nbformat": 4, "cells": [{"cell_type": "code"}]}', "unreadable-file", "source"),
        (
            '{"nbformat": 4, "cells": [{"cell_type": "code", "source": [1]}]}',
            "unreadable-file",
            "source",
        ),
        ('{"a": ' + "[" * 100_000, "too-deeply-nested", "nested"),
        ('{"a": ' + "1" * 5000 + "}", "syntax-error", "not a valid notebook"),
    ],
)
def test_what_is_no_notebook_is_refused(text: str, name: str, words: str) -> None:
    error = refusal(text)
    assert error.name == name and words in error.message


def test_the_place_of_a_json_error_is_named() -> None:
    error = refusal('{"cells":\n [1 2]}')
    assert (error.line, error.column) == (2, 5)


def test_what_a_cell_shows_is_not_thrown_away(tmp_path: Path) -> None:
    cells = ("import jax.numpy as jnp\nx = jnp.ones(3)", "x.at[0].set(0.0)\nx", "x.at[1].set(0.0)")
    text = notebook(*cells, "", "# the end", "x.at[2].set(0.0)")
    findings = lint_files(tmp_path, {"a.ipynb": text}, ("discarded-update",))
    assert [(f.cell, f.line) for f in findings] == [(2, 1)]
