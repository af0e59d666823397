from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.model import FileModel
from gotcha_lint.rule import Change, Example, Foreseen, Rewrite, Rule, alias_in
from gotcha_lint.rule_helpers.wording import last_call
from gotcha_lint.solve.programs import Programs
from gotcha_lint.text.nodes import last_word

_FIRST = frozenset({"dump", "dumps", "put", "put_nowait", "send"})  # with what is pickled first


class DeviceArrayPickled(Rule):
    """Pickles arrays that are on the device: to a file, a queue, a pipe, a pool or another process.

    ## What happens
    It works, and costs: each array is copied to the host by itself, and loading copies it back to
    the default device of the process that loads, which must have one. A sharded array comes back on
    a single device, with no message. Through a queue or a pool it takes 2 to 4.4 times as long as
    a numpy array. `np.save` of a dict or another tree pickles it too, and `np.load` then raises
    `ValueError: Object arrays cannot be loaded when allow_pickle=False`.

    ## Instead
    Fetch everything at once with `jax.device_get`, and put it back with `jax.device_put` and the
    sharding that you want. For checkpoints use Orbax.

    ## Not reported
    Random keys, which are a few bytes.
    """

    severity = "warning"
    examples = (
        Example(
            bad="""
                import pickle

                import jax
                import jax.numpy as jnp

                params = {"w": jnp.ones((4, 4)), "b": jnp.zeros(4)}
                saved = pickle.dumps(params)  # ! device-array-pickled
            """,
            good="""
                import pickle

                import jax
                import jax.numpy as jnp

                params = {"w": jnp.ones((4, 4)), "b": jnp.zeros(4)}
                saved = pickle.dumps(jax.device_get(params))
            """,
            shows="isinstance(pickle.loads(saved)['w'], jax.Array)",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for (path, span), effect in programs.effects["pickle"].items():
            yield Foreseen(
                (path, span),
                _said(effect.what),
                tuple((*at, "the arrays are given here") for at in last_call(effect)),
                certain=not effect.maybe,
                about=(path, span[0], span[2]),
            )

    def mend(self, node: cst.CSTNode, statement: cst.CSTNode, model: FileModel) -> Rewrite | None:
        match node:
            case cst.Call(func=func, args=[cst.Arg(value=given, star="", keyword=None), *_]) if (
                last_word(func) in _FIRST
            ):
                return _fetched(given, alias_in(model, "jax"))
        return None


def _said(sink: str) -> str:
    if sink == "numpy.save":
        return (
            "`np.save` pickles a tree of arrays, and `np.load` then refuses it; save each "
            "leaf, or use Orbax"
        )
    where = sink.rpartition(".")[2] if sink.count(".") < 2 else ".".join(sink.split(".")[-2:])
    return (
        f"`{where}` pickles arrays that are on the device: copied one by one, and loaded without "
        "their sharding; fetch them first with `jax.device_get`"
    )


def _fetched(node: cst.CSTNode, jax: str) -> Rewrite:
    change = Change(node, before=f"{jax}.device_get(", after=")")
    return Rewrite("fetch the arrays first", (change,), imports=("jax",))
