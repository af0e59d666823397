"""The weights of a large model are made outside of `jit`."""

from __future__ import annotations

from collections.abc import Iterator

from gotcha_lint.facts.paths import is_test
from gotcha_lint.interpret.faults.remarks import EAGER_INIT
from gotcha_lint.patterns.training.model_sizes import Layers, layers_of
from gotcha_lint.program.data_flow import steps_of
from gotcha_lint.program.enclosing import enclosing
from gotcha_lint.program.ir import Function, Span
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs
from gotcha_lint.solve.remarks import Fault

_MANY = 8  # layers: 36 programs, and 1.7 s more than one program, were measured with four
_LOOPED = 4  # in a loop over blocks


class EagerInit(Rule):
    """Makes the weights of a large model with `init` outside of `jit`.

    ## What happens
    `init` runs the model. Outside of `jit` each operation is compiled and dispatched by itself, and
    each intermediate result is kept as an array. Measured on a CPU, with compiling: a residual
    network of 20 convolutions took 8.3 s for 108 programs, and 5.2 s for one in `jit`; a GPT of six
    layers 4.2 s for 74 programs, and 3.0 s. A second call took 0.49 s, and 0.06 s.

    ## Instead
    `jax.jit(model.init)(key, x)`. A flag must not be traced:
    `jax.jit(lambda key, x: model.init(key, x, train=False))(key, x)`. The compiler removes what the
    weights do not need, so that neither the size of the batch nor the loss matters.

    ## Not reported
    Models of a few layers; models whose class is not known; `lazy_init`; tests; a second `init` in
    the same function; a model that its own file shows below `if __name__ == "__main__"`.

    ## In a run
    `eager-op-storm` may count the operations that are compiled.
    """

    severity = "info"
    examples = (
        Example(
            bad="""
                import flax.linen as nn
                import jax
                import jax.numpy as jnp


                class Model(nn.Module):
                    @nn.compact
                    def __call__(self, x):
                        for width in (16, 24, 32, 40):
                            x = nn.relu(nn.LayerNorm()(nn.Dense(width)(x)))
                        return nn.Dense(10)(x)


                model, x = Model(), jnp.ones((64, 8))
                variables = model.init(jax.random.key(0), x)  # ! eager-init
            """,
            good="""
                import flax.linen as nn
                import jax
                import jax.numpy as jnp


                class Model(nn.Module):
                    @nn.compact
                    def __call__(self, x):
                        for width in (16, 24, 32, 40):
                            x = nn.relu(nn.LayerNorm()(nn.Dense(width)(x)))
                        return nn.Dense(10)(x)


                model, x = Model(), jnp.ones((64, 8))
                variables = jax.jit(model.init)(jax.random.key(0), x)
            """,
            unseen="both give the same weights; what differs is the time",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        seen: set[Function] = set()
        found: dict[tuple[str, Span], list[tuple[Fault, Layers]]] = {}
        for fault in programs.faults.of(EAGER_INIT):
            if not is_test(fault.path) and not _is_demo(fault):
                models = found.setdefault((fault.path, fault.span), [])
                models.append((fault, _layers(programs, fault)))
        for place, models in sorted(found.items(), key=lambda item: item[0]):
            fault, layers = max(models, key=lambda each: each[1].written)
            if fault.within in seen or not _is_large(layers):
                continue
            seen.add(fault.within)
            all_large = len(models) > 1 and all(_is_large(each) for _, each in models)
            which = (
                "each operation" if layers.looped else f"all operations of {layers.written} layers"
            )
            yield Foreseen(
                place,
                f"`init` outside of `jit` compiles and starts {which} of `{fault.text[0]}` one by "
                "one: jit it, `jax.jit(model.init)(...)`",
                fault.places,
                fault.certain or all_large,
            )


def _is_large(layers: Layers) -> bool:
    return layers.written >= _MANY or layers.looped >= _LOOPED


def _is_demo(fault: Fault) -> bool:
    """Does the file of the model show it, below `if __name__ == "__main__"`?"""
    top = fault.within
    if not top.is_module or fault.about is None or fault.about[0] != fault.path:
        return False
    makers = {i[1]: i for i in steps_of(top)}
    around = enclosing(top)
    here = next((i for i in steps_of(top) if i[0] == "call" and i[-1] == fault.span), None)
    tests = [each.block[2] for each in around[id(here)] if each.block[0] == "if"] if here else []
    compared = [i for test in tests if (i := makers.get(test)) is not None and i[0] == "compare"]
    return any(
        (made := makers.get(side)) is not None and made[0] == "load" and made[2] == "__name__"
        for i in compared
        for side in i[3:5]
    )


def _layers(programs: Programs, fault: Fault) -> Layers:
    if fault.about is None:
        return Layers()
    path, *lines = fault.about
    for text in programs.texts:
        links = text.origins.links
        module = links.finder.modules.get(path)
        for body in links.bodies(module) if module is not None else ():
            if (body.name, body.line, body.end_line) == (fault.text[0], *lines):
                return layers_of(links, body)
    return Layers()
