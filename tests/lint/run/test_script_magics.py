"""A script that was exported from a notebook is analysed without its lines for IPython."""

from __future__ import annotations

import pytest

from gotcha_lint.text.script_magics import script_magics
from gotcha_lint.text.source import decode
from tests.lint.support import found, lint_files

EXPORTED = """\
# exported
!pip install flax
import jax.numpy as jnp
%matplotlib inline

x = jnp.ones(3)
x.at[0].set(1)
text = '''
!ls
'''
"""


def test_the_rest_is_analysed_and_the_first_line_is_named(tmp_path):
    findings = lint_files(tmp_path, {"a.py": EXPORTED})
    assert found(findings) == [(2, "syntax-error"), (7, "discarded-update")]
    assert "IPython" in next(f for f in findings if f.name == "syntax-error").message


def test_an_edit_leaves_these_lines_as_they_are():
    source = decode("a.py", EXPORTED.encode())
    edited = source.text.replace("x.at[0]", "x = x.at[0]")
    assert source.encode(edited).decode() == EXPORTED.replace("x.at[0]", "x = x.at[0]")


def test_these_lines_are_shown_as_they_are():
    source = decode("a.py", EXPORTED.encode())
    assert source.lines() == tuple(EXPORTED.split("\n"))


def test_an_edit_of_these_lines_is_refused():
    source = decode("a.py", EXPORTED.encode())
    with pytest.raises(ValueError, match="magic"):
        source.encode(source.text.replace("import jax.numpy as jnp\n...", "import jax"))


@pytest.mark.parametrize(
    "text",
    [
        "x = 1\n",
        "text = '''\n!pip install flax\n'''\n",
        "x = ('%s'\n% y)\n",
        "!pip install flax\nx = = 1\n",
        "%%bash\nls\n",
    ],
)
def test_python_and_what_is_none_without_them_either(text):
    assert script_magics(text) is None
