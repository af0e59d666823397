"""A training loop saves its parameters, and not all that it needs to go on."""

from __future__ import annotations

from collections.abc import Iterator

from gotcha_lint.interpret.faults.checkpoints import LEFT_OUT
from gotcha_lint.program.carried_state import BEST, COUNTER, GENERATOR, KEY, OPTIMIZER
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


class IncompleteCheckpoint(Rule):
    """Saves the parameters in a training loop without the random key, or without the optimizer.

    ## What happens
    Nothing fails. A run that is restarted from the checkpoint begins with a new key, so it draws
    the numbers of the first steps again: the same noise, the same dropout masks, the same order of
    the data. With a new optimizer state the moments are zero and the learning rate schedule starts
    at step 0: the loss jumps, and a warm-up runs a second time. Where the loop goes on with the
    epoch that was saved, what begins as in a first run no longer fits to it: a step counter that
    switches a loss on, a generator that draws masks, the best result so far, after which the first
    evaluation overwrites the best checkpoint.

    ## Instead
    Save one tree with all that the loop carries: parameters, optimizer state, key and step. A key
    that is made of the step, `jax.random.fold_in(key, step)`, needs no saving beside the step.

    An `nnx.Optimizer` is an object of its own, which a step changes in place: `nnx.state(model)`
    holds nothing of it. A trainer that keeps its state in attributes is looked at as a whole.

    ## Not reported
    Where nothing reads the checkpoint before the loop, or in a method of the same class, it may be
    meant as a result: a missing optimizer state is a note then, and a missing key is shown with
    `--all`.

    ## In a run
    The sanitizer does not look at files.
    """

    severity = "warning"
    confidence = "medium"
    examples = (
        Example(
            bad="""
                import io

                import equinox as eqx
                import jax
                import jax.numpy as jnp


                @jax.jit
                def step(w, key):
                    key, noise = jax.random.split(key)
                    return 0.9 * w + jax.random.normal(noise, w.shape), key


                def train(steps, saved=None):
                    w, key = jnp.zeros(3), jax.random.PRNGKey(0)
                    if saved is not None:
                        w = eqx.tree_deserialise_leaves(saved, w)
                    for _ in range(steps):
                        w, key = step(w, key)
                        file = io.BytesIO()
                        eqx.tree_serialise_leaves(file, w)  # ! incomplete-checkpoint
                    file.seek(0)
                    return w, file


                whole, _ = train(4)
                _, half = train(2)
                resumed, _ = train(2, half)
            """,
            good="""
                import io

                import equinox as eqx
                import jax
                import jax.numpy as jnp


                @jax.jit
                def step(w, key):
                    key, noise = jax.random.split(key)
                    return 0.9 * w + jax.random.normal(noise, w.shape), key


                def train(steps, saved=None):
                    w, key = jnp.zeros(3), jax.random.PRNGKey(0)
                    if saved is not None:
                        w, key = eqx.tree_deserialise_leaves(saved, (w, key))
                    for _ in range(steps):
                        w, key = step(w, key)
                        file = io.BytesIO()
                        eqx.tree_serialise_leaves(file, (w, key))
                    file.seek(0)
                    return w, file


                whole, _ = train(4)
                _, half = train(2)
                resumed, _ = train(2, half)
            """,
            shows="not bool(jnp.allclose(whole, resumed))",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of(LEFT_OUT):
            names = " and ".join(f"`{name}`" for name in fault.text)
            effect = _EFFECT[KEY] if fault.certain else "begins with another one"
            yield Foreseen(
                (fault.path, fault.span),
                f"this leaves the field {names} out of the checkpoint: a restarted run {effect}",
                fault.places,
                fault.certain,
            )
        for one in programs.checkpoints.unsaved():
            places = [
                (one.path, each.made, _BEGINS[each.new].format(each.name))
                for each in one.carried
                if each.made is not None
            ]
            if one.restored is not None:
                places.append((*one.restored, "a checkpoint is read here"))
            if one.written is not None:
                places.append((*one.written, "the file is written here"))
            places += [(one.path, span, "this is without it, too") for span in one.also]
            lost = " and ".join(f"{_WHAT[each.kind]} `{each.name}`" for each in one.carried)
            resumes = one.restored is not None and any(each.new for each in one.carried)
            yield Foreseen(
                (one.path, one.span),
                f"this saves some of what the {one.holder} carries, but not {lost}: a restarted "
                f"run {_EFFECT[one.carried[0].kind]}",
                tuple(places),
                resumes or any(each.kind == OPTIMIZER for each in one.carried),
                None if resumes else "info",
            )


_BEGINS = {
    True: "`{}` is made here, in a restarted run, too",
    False: "`{}` begins here, in a restarted run, too",
}
_WHAT = {
    KEY: "the random key",
    OPTIMIZER: "the optimizer state",
    COUNTER: "the counter",
    BEST: "the best result",
    GENERATOR: "the generator",
}
_EFFECT = {
    KEY: "draws the same numbers again",
    OPTIMIZER: "loses the moments and the step count",
    COUNTER: "counts from the start again, while its epochs go on",
    BEST: "takes its first result for the best, and writes over the best checkpoint",
    GENERATOR: "draws the same numbers again",
}
