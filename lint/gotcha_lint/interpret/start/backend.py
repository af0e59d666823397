"""Where JAX starts its threads, and what forks the process after that.

Both are kept as locations of the state, so the order is that of the program, across calls and
imports: a function that forks reads what its callers have done before.
"""

from __future__ import annotations

from gotcha_lint.domain.record import replaced
from gotcha_lint.domain.sites import Origin, Span
from gotcha_lint.domain.value import NONE, Constant, Value, constant
from gotcha_lint.interpret.effects import note, note_at
from gotcha_lint.interpret.events import Effect, Location
from gotcha_lint.interpret.machine import Machine
from gotcha_lint.interpret.start.startup import BACKEND, JOINED, PROCESS, started_by_import
from gotcha_lint.interpret.state import Layer
from gotcha_lint.patterns.settings import asks_whether_initialized, calls_own_functions, word_at

_METHOD: Location = (PROCESS, "start method")
AT_IMPORT, DEFAULT = "starts at import", "default at import"
_LAZY = ("jax.numpy.dtype", "jax.numpy.finfo", "jax.numpy.iinfo", "jax.numpy.issubdtype")
_STARTING = (
    "jax.numpy.",
    "jax.random.",
    "jax.device_put",
    "jax.devices",
    "jax.local_devices",
    "jax.device_count",
    "jax.local_device_count",
    "jax.default_backend",
    "jax.process_index",
    "jax.process_count",
)


def forget(layer: Layer) -> None:
    """What the import of a module has started concerns those alone that import it."""
    for location in (BACKEND, _METHOD):
        layer.pop(location, None)


def note_start(machine: Machine, span: Span) -> None:
    """JAX computes here, so its backend runs from now on."""
    if machine.traced:
        return
    if machine.peek(BACKEND) is None:
        _start(machine, (machine.path, span))
    _note_default(machine, span)
    path = _being_imported(machine)
    if path is not None:
        old = machine.import_starts.get(path)
        if old is None or (not old[1] and not machine.guards):
            origin = machine.path, span
            machine.import_starts[path] = origin, not machine.guards, machine.calls


def _note_default(machine: Machine, span: Span) -> None:
    """A default of a parameter: it is computed when the `def` is run, at the import of its module.

    Whatever the body of a module runs within the lines of a `def` belongs to its first lines.
    """
    module, running = machine.modules.get(machine.path), machine.activation.function
    if module is None or not (running.is_module or running.is_class):
        return
    if any(
        function.line <= span[0] <= function.end_line
        for function in module.functions
        if not function.is_module and not function.is_class and function.name.isidentifier()
    ):
        note(machine, DEFAULT, "", span)


def _start(machine: Machine, origin: Origin) -> None:
    machine.put(BACKEND, Value((Constant(True, "bool", origin),)))


def _being_imported(machine: Machine) -> str | None:
    """The module whose body runs, or has called what runs."""
    if not machine.loading:
        return None
    modules = (a.function.path for a in reversed(machine.activations) if a.function.is_module)
    return next(modules, None)


def note_import(machine: Machine, path: str, span: Span) -> None:
    """A module of the project is imported: what it starts runs from now on, and what imports
    the module at hand starts it, too.
    """
    found = machine.import_starts.get(path)
    importer = machine.activation.function
    if found is None or machine.traced or not importer.is_module or machine.guards:
        return
    machine.import_starts.setdefault(machine.path, found)
    origin, is_sure, calls = found
    if is_sure and machine.peek(BACKEND) is None:
        _start(machine, origin)
    note_at(machine, AT_IMPORT, origin, ((machine.path, span), *calls), maybe=True)


def note_joining(machine: Machine, span: Span) -> None:
    """`jax.distributed.initialize()` raises where an import has started the backend."""
    origin = started_by_import(machine)
    _note_own_import(machine, span)
    if origin is not None:
        note_at(machine, AT_IMPORT, origin, ((machine.path, span),), maybe=False)


def _note_own_import(machine: Machine, span: Span) -> None:
    """A function initializes what the body of its own module has started.

    A function that the module calls further up may have run before.
    """
    function, module = machine.activation.function, machine.modules.get(machine.path)
    origin, is_sure, calls = machine.import_starts.get(machine.path, (None, False, ()))
    if function.is_module or module is None or origin is None or not is_sure or calls:
        return
    if machine.trying or asks_whether_initialized(function) or origin[0] != machine.path:
        return
    names = {each.name for each in module.functions if not each.is_module}
    if not calls_own_functions(module.top, names, origin[1][0]):
        note(machine, JOINED, word_at(module.top, origin[1]), span, origins=(origin,))


def starts(name: str) -> bool:
    """Does this function of JAX need a backend? Types and shapes need none."""
    return name.startswith(_STARTING) and not name.startswith(_LAZY)


def set_start_method(machine: Machine, method: Value) -> None:
    """`multiprocessing.set_start_method("spawn")`."""
    machine.put(_METHOD, constant(method.constant) if method.constant is not None else NONE)


FORK, WORKERS = "fork", "fork workers"


def note_fork(machine: Machine, name: str, span: Span, *, is_default: bool) -> None:
    """The process forks, with the threads that JAX has started. `is_default`: unless the program
    has chosen another start method.
    """
    threads = _threads(machine, is_default)
    if threads is not None:
        note(machine, FORK, name.rpartition(".")[2], span, origins=threads)


def note_loader(machine: Machine, name: str, span: Span) -> None:
    """A loader with workers: they are forked now, or when somebody iterates over it."""
    threads, short = _threads(machine, is_default=True), name.rpartition(".")[2]
    if threads is None:
        machine.forking[machine.origin(span)] = short
    else:
        note(machine, WORKERS, short, span, origins=threads)


def note_iterated(machine: Machine, made: Origin | None) -> None:
    """The sequence that was made there begins; each beginning forks the workers of a loader."""
    if made is None or made not in machine.forking:
        return
    threads = _threads(machine, is_default=True)
    if threads is not None:
        within = machine.activation.function
        effect = Effect(WORKERS, machine.forking[made], *made, within, (), threads)
        machine.note(replaced(effect, calls=machine.calls))


def _threads(machine: Machine, is_default: bool) -> tuple[Origin, ...] | None:
    """Where JAX has started its threads, if that is known; None where a fork does no harm."""
    started = machine.read(BACKEND)
    method = machine.read(_METHOD) if is_default else None
    if started is None or (method is not None and method.constant != "fork"):
        return None
    origin = started.only.origin if isinstance(started.only, Constant) else None
    return (origin,) if origin is not None else ()
