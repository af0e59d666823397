"""Names that are bound for good: a summary does not hold once one of them is bound again."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gotcha_lint.config.settings import Settings
from gotcha_lint.engine import lint
from gotcha_lint.interpret.state import State
from tests.lint.support import code, found, lint_files

NAMES = """
    import jax
    import jax.numpy as jnp


    def scale(x):
        return x * 2


    def prepare(x):
        return scale(x)


    step = jax.jit(lambda x: x * 2)


    class Base:
        def width(self, x):
            return x


    class Model(Base):
        pass


    def widths(model, x):
        return model.width(x)
    """

BOUND_AGAIN = {
    "a function of a module, between two calls of one that reads it": """
        import jax
        import jax.numpy as jnp
        import names


        def main():
            names.prepare(jnp.zeros(3))
            names.scale = jax.jit(lambda x: x + 1)
            for n in range(1, 50):
                names.prepare(jnp.zeros(n))
        """,
    "a method of a class whose base has it": """
        import jax
        import jax.numpy as jnp
        import names


        def main():
            model = names.Model()
            names.widths(model, jnp.zeros(3))
            names.Model.width = lambda self, x: names.step(x)
            for n in range(1, 50):
                names.widths(model, jnp.zeros(n))
        """,
}


@pytest.mark.parametrize("name", BOUND_AGAIN)
def test_what_is_bound_again_is_called(tmp_path: Path, name: str) -> None:
    text = code(BOUND_AGAIN[name])
    files = {"names.py": code(NAMES), "main.py": text}
    assert lint_files(tmp_path, files, select=("varying-shape",), all=True) != []
    files["main.py"] = re.sub(r"names\.(scale|Model\.width) =", "unused =", text)
    assert files["main.py"] != text
    assert lint_files(tmp_path / "other", files, select=("varying-shape",), all=True) == []


def test_a_module_level_name_that_a_script_binds_is_its_own(tmp_path: Path) -> None:
    """Another script, that imports the same module, sees what the module has bound."""
    changes = """
        import names

        names.scale = None
        """
    uses = """
        import jax
        import names

        step = jax.jit(names.prepare)


        def main(batches):
            for n in range(1, 50):
                step(batches[:n])  # ! varying-shape
        """
    files = {"a_changes.py": code(changes), "names.py": code(NAMES), "uses.py": code(uses)}
    findings = lint_files(tmp_path, files, select=("varying-shape",))
    alone = lint_files(tmp_path / "alone", files, select=("varying-shape",))
    assert found(findings) == found(alone)


def test_summaries_hold_no_values_of_bindings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Functions, classes and modules that are read stand in no summary with their values."""
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "names.py").write_text(code(NAMES), "utf-8")
    caller = "import jax\nimport names\n\n\n@jax.jit\ndef f(x):\n    return names.prepare(x)\n"
    (tmp_path / "caller.py").write_text(caller, "utf-8")
    seen: list[bool] = []
    original = State._is_fixed

    def fixed(self: State, location: object, value: object) -> bool:
        answer = original(self, location, value)  # type: ignore[arg-type]
        seen.append(answer)
        return answer

    monkeypatch.setattr(State, "_is_fixed", fixed)
    paths = [str(tmp_path / name) for name in ("names.py", "caller.py")]
    report = lint(paths, lambda path: Settings(select=("varying-shape",)), jobs=1)
    assert report.failures == []
    assert seen.count(True) > seen.count(False)
