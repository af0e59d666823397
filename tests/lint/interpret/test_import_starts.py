"""Modules that start JAX while they are imported, and what comes too late after that."""

from __future__ import annotations

from pathlib import Path

from tests.lint.support import code, lint_files

RULE = ("backend-started-too-early",)
KEYS = code("""
    import jax


    def with_key(function, key=jax.random.PRNGKey(0)):
        return lambda x: function(x, key)
""")
BACKEND = code("""
    import jax
    import jax.numpy as jnp


    def wanted():
        return jnp.bfloat16 if jax.default_backend() == "tpu" else jnp.float32


    DTYPE = wanted()
""")
TRAIN = code("""
    import jax
    from {} import {}


    def main():
        jax.distributed.initialize()
        print({})


    main()
""")


def found(folder: Path, **files: str) -> list[tuple[str, int, str]]:
    texts = {f"{name}.py": text for name, text in files.items()}
    findings = lint_files(folder, texts, RULE, all=True)
    return [(Path(f.path).name, f.line, f.severity) for f in findings]


def test_a_script_initializes_after_the_import(tmp_path: Path):
    train = TRAIN.format("keys", "with_key", "with_key")
    assert found(tmp_path, keys=KEYS, train=train) == [("keys.py", 4, "error")]


def test_through_a_module_between_and_a_function_that_runs_at_import(tmp_path: Path):
    between = "from backend import DTYPE\n\nWIDE = DTYPE\n"
    train = TRAIN.format("between", "WIDE", "WIDE")
    files = {"backend.py": BACKEND, "between.py": between, "train.py": train}
    (finding,) = lint_files(tmp_path, files, RULE)
    assert (Path(finding.path).name, finding.line, finding.severity) == ("backend.py", 6, "error")
    assert (Path(finding.chain[-1].path).name, finding.chain[-1].line) == ("train.py", 6)


def test_where_nobody_initializes_it_is_a_note(tmp_path: Path):
    user = "import keys\n\nprint(keys.with_key)\n"
    assert found(tmp_path, keys=KEYS, user=user) == [("keys.py", 4, "info")]


def test_alone_it_is_a_script(tmp_path: Path):
    """That a default starts JAX at the import is a note."""
    assert found(tmp_path, keys=KEYS) == [("keys.py", 4, "info")]


def test_types_start_nothing(tmp_path: Path):
    types = "import jax.numpy as jnp\n\nDTYPE = jnp.float32\nEPS = jnp.finfo(DTYPE).eps\n"
    train = TRAIN.format("types_of_ours", "DTYPE", "DTYPE")
    assert found(tmp_path, types_of_ours=types, train=train) == []


def test_an_import_in_a_function_comes_when_it_is_called(tmp_path: Path):
    train = code("""
        import jax


        def main():
            jax.distributed.initialize()
            from keys import with_key

            print(with_key)


        main()
    """)
    assert found(tmp_path, keys=KEYS, train=train) == [("keys.py", 4, "info")]


VARIABLE = code("""
    import os

    {}
    import jax
    {}

    os.environ["XLA_FLAGS"] = "--xla_gpu_deterministic_ops=true"


    def main():
        print(with_key(lambda x, key: x)(1.0))


    main()
""")


def test_a_variable_that_is_set_after_the_import(tmp_path: Path):
    rule = ("environment-set-too-late",)
    late = VARIABLE.format("from keys import with_key", "")
    (finding,) = lint_files(tmp_path, {"keys.py": KEYS, "train.py": late}, rule)
    assert (Path(finding.path).name, finding.severity) == ("train.py", "error")
    assert "at an import above" in finding.message
    assert (Path(finding.chain[-1].path).name, finding.chain[-1].line) == ("keys.py", 4)


def test_a_variable_that_is_set_before_the_import(tmp_path: Path):
    early = (
        "import os\n\nos.environ['XLA_FLAGS'] = ''\nfrom keys import with_key\n\nwith_key(print)\n"
    )
    files = {"keys.py": KEYS, "train.py": early}
    assert not lint_files(tmp_path, files, ("environment-set-too-late",))
