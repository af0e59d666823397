"""Meshes whose axes are explicit, since nothing says what they are (floor `patterns`).

A file that means explicit axes has words for it, and so has one that it imports. It
over-approximates: what is done with a mesh elsewhere is not known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gotcha_lint.facts.sharding import EXPLICIT, EXPLICIT_HERE
from gotcha_lint.program.data_flow import steps_of
from gotcha_lint.program.ir import Function, Instruction, Module, Register, Span
from gotcha_lint.program.origins import Origins
from gotcha_lint.program.spelled import spelled

_TO_HOST = frozenset(("numpy.array", "numpy.asarray", "jax.device_get"))


def means_explicit(module: Module, visible: Iterable[Module]) -> bool:
    """Does the file have a word of explicit axes, or one that it imports a plainer one?"""
    if not EXPLICIT_HERE.isdisjoint(_words(module)):
        return True
    return any(not EXPLICIT.isdisjoint(_words(other)) for other in visible)


def untyped_meshes(origins: Origins, function: Function) -> Iterator[Span]:
    """The calls of `jax.make_mesh` in one function."""
    for call in steps_of(function):
        if call[0] != "call" or origins.names.of_call(function, call) != "jax.make_mesh":
            continue
        named = dict(call[4])
        if len(call[3]) > 2 or {"axis_types", None} & named.keys() or any(s for s, _ in call[3]):
            continue
        shape = call[3][0][1] if call[3] else named.get("axis_shapes")
        of_ones = shape is not None and _is_of_ones(origins, function, shape)
        if not of_ones and not _Uses(origins, function).are_harmless(call):
            yield call[-1]


def _words(module: Module) -> set[str]:
    found: set[str] = set()
    for function in module.functions:
        for i in steps_of(function):
            if i[0] == "load":
                found.add(i[2])
            elif i[0] == "attr":
                found.add(i[3])
            elif i[0] == "import" and i[4]:
                found.add(i[4])
            elif i[0] == "call":
                found.update(name for name, _ in i[4] if name)
    return found


def _is_of_ones(origins: Origins, function: Function, shape: Register) -> bool:
    """Such a mesh shards nothing."""
    makers = origins.links.makers(function)
    made = makers.get(shape)
    if made is None or made[0] != "build" or not made[3]:
        return False
    sizes = [makers.get(one) for _, one in made[3]]
    return all(one is not None and one[0] == "const" and one[2] == 1 for one in sizes)


class _Uses:
    """What a function does with a mesh that it makes."""

    def __init__(self, origins: Origins, function: Function) -> None:
        self.origins, self.function = origins, function
        self.makers = origins.links.makers(function)
        self.calls = [i for i in steps_of(function) if i[0] == "call"]

    def are_harmless(self, made: Instruction) -> bool:
        """Its arrays go to `shard_map` with the specs that it asks for, or to the host."""
        stores = self.origins.links.stores(self.function)
        name = next((name for name, given in stores.items() if made[1] in given), "")
        if self.function.is_module or len(stores.get(name, ())) != 1:
            return False
        loads = [i for i in steps_of(self.function) if i[0] == "load" and i[2] == name]
        asked = set(self._asked(name))
        inner = name in self.function.captured
        return bool(loads) and not inner and all(self._is_harmless(i, asked) for i in loads)

    def _asked(self, mesh: str) -> Iterator[str]:
        """The specs of each `shard_map` over the mesh, as they are written."""
        for call in self.calls:
            named = dict(call[4])
            if not self._is_shard_map(call) or not {"mesh", "in_specs"} <= named.keys():
                continue
            if spelled(self.makers, named["mesh"]) == mesh:
                yield spelled(self.makers, named["in_specs"])
                specs = self.makers.get(named["in_specs"])
                if specs is not None and specs[0] == "build":
                    yield from (spelled(self.makers, one) for _, one in specs[3])

    def _is_shard_map(self, call: Instruction) -> bool:
        """`shard_map(...)`, or `partial(shard_map, ...)`."""
        given = (call[2], *(register for _, register in call[3][:1]))
        return any(self.origins.links.word(self.function, one) == "shard_map" for one in given)

    def _is_harmless(self, load: Instruction, asked: set[str]) -> bool:
        call = self._taker(load)
        if call is None or self._is_shard_map(call):
            return call is not None
        put = self._taker(call)
        word = self.origins.links.word
        if put is None or word(self.function, put[2]) != "device_put":
            return False
        if word(self.function, call[2]) != "NamedSharding" or len(call[3]) != 2:
            return False
        outer = self._taker(put)
        to_host = outer is not None and self.origins.names.of_call(self.function, outer) in _TO_HOST
        return to_host or spelled(self.makers, call[3][1][1]) in asked

    def _taker(self, made: Instruction) -> Instruction | None:
        """The call that it is given to."""
        for call in self.calls:
            if any(register == made[1] for _, register in (*call[3], *call[4])):
                return call
        return None
