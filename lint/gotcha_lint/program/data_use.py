"""How a variable is used by functions that capture it (floor `program`): as data, or as a program.

Data is an operand of arithmetic, or an argument of a function of JAX. What is called, or whose
methods are called, is a model, an environment or another function.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Mapping

from gotcha_lint.program.data_flow import steps_of
from gotcha_lint.program.ir import Function, Instruction

_DEPTH = 4  # calls that hand the variable on
_OPERATORS = ("binop", "augment")


Sizes = Mapping[str, tuple[int, ...]]
"""Of functions of JAX, by their last names: the positions of arguments that are sizes."""


def is_used_as_data(
    owner: Function | None, name: str, functions: Collection[Function], sizes: Sizes
) -> bool:
    """Is a variable data in each of these functions that reads it (must)? No size is data.

    `owner`: whose variable it is; None for a module's. Calls are followed to functions of the
    collection, by name. False where no use shows it.
    """
    uses = [
        use
        for function in functions
        for hops in hops_to(function, owner)
        for use in _uses(function, {(name, hops)}, functions, sizes, _DEPTH)
    ]
    return bool(uses) and all(uses)


def hops_to(function: Function, owner: Function | None) -> Iterator[int]:
    """How many functions lie between the use and the owner; none where it is no inner one."""
    if owner is None:
        yield -1
        return
    around, hops = function.parent, 1
    while around is not None:
        if around is owner:
            yield hops
            return
        around, hops = around.parent, hops + 1


def _uses(
    function: Function,
    names: set[tuple[str, int]],
    functions: Collection[Function],
    sizes: Sizes,
    depth: int,
) -> Iterator[bool]:
    """Each use that says something: as data, or as something that is called."""
    held: set[Hashable] = set()
    made: dict[Hashable, Instruction] = {
        i[1]: i for i in steps_of(function) if i[0] in ("load", "attr")
    }
    libraries = libraries_of(function, "jax", "optax")
    for i in steps_of(function):
        operation = i[0]
        named = operation == "load" and (i[2], i[3]) in names
        if named or (operation in ("attr", "item") and i[2] in held):
            held.add(i[1])
        elif operation in _OPERATORS and held & {i[3], i[4]}:
            yield True
        elif operation == "call" and i[2] in held:
            yield False
        elif operation == "call":
            given = [n for n, (_, register) in enumerate(i[3]) if register in held]
            root, last = dotted_ends(made, i[2])
            if given and root in libraries:
                yield set(given).isdisjoint(sizes.get(last, ()))
            elif given and depth:
                starred = any(star for star, _ in i[3][: given[0] + 1])
                for other in (f for f in functions if f.name == last):
                    parameters = filled_by(other, given, starred)
                    yield from _uses(other, parameters, functions, sizes, depth - 1)


def filled_by(function: Function, positions: list[int], starred: bool) -> set[tuple[str, int]]:
    """What these arguments fill; `self` is given by the receiver."""
    names = [p.name for p in function.parameters if p.kind == "pos"]
    names = names[1:] if names[:1] == ["self"] else names
    if starred:
        return {(name, 0) for name in names[positions[0] :]}
    return {(names[n], 0) for n in positions if n < len(names)}


def dotted_ends(made: Mapping[Hashable, Instruction], register: Hashable) -> tuple[str, str]:
    """The first and the last name of `jnp.linalg.norm`."""
    last, step = "", made.get(register)
    while step is not None and step[0] == "attr":
        last = last or str(step[3])
        step = made.get(step[2])
    root = str(step[2]) if step is not None else ""
    return root, last or root


def libraries_of(function: Function, *packages: str) -> set[str]:
    """The names by which its module imports these packages and their parts."""
    top = function
    while top.parent is not None:
        top = top.parent
    found: dict[Hashable, bool] = {}
    names: set[str] = set()
    for i in top.body:
        if i[0] == "import" and not i[3]:
            found[i[1]] = str(i[2]).partition(".")[0] in packages
        elif i[0] == "store" and found.get(i[4]):
            names.add(i[2])
    return names
