"""What `xla-flag-unknown` says of several flags in one text, and where it says they are written."""

from __future__ import annotations

from tests.lint.support import code, lint_files

TEXT = """
    import os

    flags = os.environ.get("XLA_FLAGS", "")
    flags += (
        "--xla_gpu_graph_level=0 "
        "--xla_gpu_enable_async_collectives=true"
    )
    print("set", "graph")
    os.environ["XLA_FLAGS"] = flags

    import jax
"""


def test_every_flag_of_a_text_is_named_and_its_line_shown(tmp_path):
    (finding,) = lint_files(tmp_path / "p", {"train.py": code(TEXT)}, ("xla-flag-unknown",))
    for part in ("no space before", "xla_gpu_graph_level", "xla_gpu_enable_async_collectives"):
        assert part in finding.message
    assert finding.line == 9
    assert [place.line for place in finding.chain] == [5]
