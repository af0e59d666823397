"""Code that a loader of data runs for each example."""

from __future__ import annotations

from collections.abc import Iterator

from gotcha_lint.analysis.project import Project
from gotcha_lint.analysis.sites import Body, Call
from gotcha_lint.analysis.syntax import source_of
from gotcha_lint.analysis.values import FunctionId
from gotcha_lint.facts.paths import is_test
from gotcha_lint.facts.pipelines import PER_EXAMPLE
from gotcha_lint.rule import Example, Report, Rule


class JnpInDataPipeline(Rule):
    """Computes with `jax.numpy` for each example, in what a data loader calls.

    ## What happens
    No error in one process. Each call is sent to the device by itself, and what it gives goes back
    to the host to be put into a batch. In worker processes each of them starts JAX of its own,
    which takes memory of the device; those that torch forks are warned of: `os.fork() was called.
    os.fork() is incompatible with multithreaded code, and JAX is multithreaded, so this will likely
    lead to a deadlock.`

    ## Instead
    Numpy for each example, and `jax.device_put` of the whole batch; or do it within the jitted
    step, for all of the batch.

    ## Not reported
    Classes that derive from no dataset or transformation of torch or Grain, except a `__getitem__`
    beside a `__len__` that puts what it has on the device; functions given as
    `collate_fn`, which run once for each batch; calls of jitted functions; types such as
    `jnp.float32`.

    ## In a run
    The sanitizer says nothing as long as examples have one shape; where each has its own,
    `eager-op-storm` tells of what compiles again.
    """

    roots = frozenset({"torch", "grain", "__getitem__"})
    examples = (
        Example(
            bad="""
                import grain
                import jax.numpy as jnp


                class Normalise(grain.transforms.Map):
                    def map(self, image):
                        image = jnp.asarray(image) / 255  # ! jnp-in-data-pipeline
                        return (image - jnp.mean(image)) / jnp.std(image)
            """,
            good="""
                import grain
                import numpy as np


                class Normalise(grain.transforms.Map):
                    def map(self, image):
                        image = np.asarray(image) / 255
                        return (image - np.mean(image)) / np.std(image)
            """,
            unseen="it costs time for each example, and in each process of the loader",
        ),
    )

    def check(self, site: Body) -> Iterator[Report]:
        if is_test(site.model.path):
            return
        calls = [call for call in site.of(Call) if _computes(call)]
        if not calls or not (
            _runs_per_example(site) or (any(map(_transfers, calls)) and _is_item_of_dataset(site))
        ):
            return
        more = f", and {len(calls) - 1} more here," if len(calls) > 1 else ""
        yield Report(
            calls[0].node,
            f"`{source_of(calls[0].node, 40)}`{more} runs on the device for each example that the "
            "loader asks for: use numpy here, and put the whole batch on the device",
        )


def _transfers(call: Call) -> bool:
    """What it is given lies on the host, or why should it be made an array?"""
    return call.name in ("jax.numpy.asarray", "jax.numpy.array", "jax.device_put")


def _computes(call: Call) -> bool:
    """A function of JAX that gives an array, called by itself."""
    if call.decorator or not call.name.startswith(("jax.numpy.", "jax.random.", "jax.nn.")):
        return call.name == "jax.device_put"
    fact = call.body.fact(call)
    return fact.transform is None and fact.returns.startswith(("array", "key"))


def _runs_per_example(body: Body) -> bool:
    """A method that loaders call for each example, or what nothing but such methods calls."""
    project = body.project
    if project is None or not body.eager:
        return False
    if _is_called_by_loader(project, body.id):
        return True
    callers = body.usage.callers.get(body.id, frozenset())
    return bool(callers) and all(_is_called_by_loader(project, caller) for caller in callers)


def _is_item_of_dataset(body: Body) -> bool:
    """`__getitem__` of a class that has a length and no base: a loader asks it for each example."""
    function, project = body.function, body.project
    if project is None or not body.eager or function.cls is None:
        return False
    cid = (body.model.path, function.cls.number)
    own, above = project.ancestors(cid)
    methods = {name for each in own for name in project.cls(each).methods}
    return function.name == "__getitem__" and "__len__" in methods and not above


def _is_called_by_loader(project: Project, fid: FunctionId) -> bool:
    function = project.function(fid)
    if function.cls is None:
        return False
    bases = project.ancestors((fid[0], function.cls))[1]
    return any(PER_EXAMPLE.get(base) == function.name for base in bases)
