"""A name of Python stands where an environment variable was meant."""

from __future__ import annotations

import json
from collections.abc import Iterator

from gotcha_lint.facts.environment import READ_AT_IMPORT
from gotcha_lint.patterns.unset_variables import UnsetVariable, unset_variables
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


class EnvironmentNotSet(Rule):
    """Assigns a name of Python that is called like an environment variable of JAX or XLA.

    ## What happens
    Nothing: `XLA_PYTHON_CLIENT_MEM_FRACTION = 0.2` binds a name of the module. JAX reads the
    environment of the process, where the variable stays unset: three quarters of the memory are
    taken all the same.

    ## Instead
    `os.environ["XLA_PYTHON_CLIENT_MEM_FRACTION"] = "0.2"`, above the first import of jax. Its
    values are texts.

    ## Not reported
    Names that the file reads, or that another file of the project has.

    ## In a run
    Nothing.
    """

    severity = "warning"
    examples = (
        Example(
            bad="""
                import os

                JAX_NUM_CPU_DEVICES = 2  # ! environment-not-set

                import jax

                said = os.environ.get("JAX_NUM_" + "CPU_DEVICES")
            """,
            good="""
                import os

                os.environ["JAX_NUM_CPU_DEVICES"] = "2"

                import jax

                said = os.environ.get("JAX_NUM_" + "CPU_DEVICES")
            """,
            shows="said is None",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for text in programs.texts:
            path = text.module.path
            for one in unset_variables(text.origins, text.module):
                if not programs.elsewhere.says([one.name], path):
                    yield Foreseen((path, one.span), _message(one))


def _message(one: UnsetVariable) -> str:
    value = json.dumps(str(one.value).lower() if isinstance(one.value, bool) else str(one.value))
    before = " above the import of jax" if one.name in READ_AT_IMPORT else ""
    return (
        f"this binds a name of Python, and the environment stays as it is: write "
        f"`os.environ[{json.dumps(one.name)}] = {value}`{before}"
    )
