"""Processes, threads and timers: what they call, and how they start.

Another process has a state of its own: of what runs there only what it pickles is noted here.
"""

from __future__ import annotations

from gotcha_lint.domain.value import (
    INFINITY,
    NO_MARKS,
    NONE,
    UNKNOWN,
    Constant,
    Library,
    Method,
    Number,
    Object,
    Tuple,
    Value,
    only,
)
from gotcha_lint.facts.processes import INDEX_CALLS, PROCESS_INDEX
from gotcha_lint.interpret import clocks
from gotcha_lint.interpret.call import Call, family, model
from gotcha_lint.interpret.containers.iteration import element
from gotcha_lint.interpret.events import Effect
from gotcha_lint.interpret.faults.pickling import (
    CONNECTION,
    EXECUTOR,
    PICKLED,
    POOL,
    QUEUE,
    SHELF,
    note_arrays,
    of_pool,
)
from gotcha_lint.interpret.heap import contents
from gotcha_lint.interpret.start.backend import note_fork, set_start_method

_CONTEXT = "multiprocessing.#"
_PACKAGES = (
    "multiprocessing.",
    "torch.multiprocessing.",
    *(f"{_CONTEXT}{name}." for name in ("default", "fork", "spawn", "forkserver", "unknown")),
)
_THREADS = "concurrent.futures.#threads"
_QUEUES = ("Queue", "SimpleQueue", "JoinableQueue")
_STARTING = ("Pool", "Process", "Manager")
_RUNNING = ("Pool", "Process")
_CALLED = {  # methods of pools -> how the function gets its arguments
    **dict.fromkeys(("map", "imap", "imap_unordered", "map_async"), "each"),
    **dict.fromkeys(("apply", "apply_async"), "tuple"),
    "submit": "as given",
}


@model(*INDEX_CALLS)
def process_index(call: Call) -> Value:
    """Another number in each process: known by name until something is computed with it."""
    return Value((Library(PROCESS_INDEX, call.origin),), True)


@model("timeit.timeit", "timeit.repeat", "timeit.autorange")
def timed(call: Call) -> Value:
    """Calls a function between two readings of the clock."""
    machine = call.engine
    statement = call.argument(0, "stmt")
    start = clocks.read_clock(machine, call.span)
    if not isinstance(statement.only, Constant):  # text says nothing
        machine.call(statement, (), {}, call.span)
    clocks.note_elapsed(machine, start, call.span)
    each = only(Number("float", 0, INFINITY, None, call.origin), call.marks)
    return each if call.short == "timeit" else UNKNOWN


@model("multiprocessing.get_context", "torch.multiprocessing.get_context")
def context(call: Call) -> Value:
    """A context starts processes in one way."""
    method = call.get(0, "method")
    name = "default" if method is None or method.is_none else method.constant
    return only(Library(f"{_CONTEXT}{name if isinstance(name, str) else 'unknown'}", call.origin))


@model("multiprocessing.set_start_method", "torch.multiprocessing.set_start_method")
def start_method(call: Call) -> Value:
    set_start_method(call.engine, call.argument(0, "method"))
    return NONE


@model(*(f"{_CONTEXT}fork.{name}" for name in _STARTING), "os.fork", "os.forkpty")
def forks(call: Call) -> Value:
    note_fork(call.engine, call.name, call.span, is_default=False)
    return _started(call)


@model(
    *(f"{_CONTEXT}default.{name}" for name in _STARTING),
    *(f"multiprocessing.{name}" for name in _STARTING),
    *(f"torch.multiprocessing.{name}" for name in _STARTING),
    "multiprocessing.pool.Pool",
)
def forks_by_default(call: Call) -> Value:
    note_fork(call.engine, call.name, call.span, is_default=True)
    return _started(call)


@model(
    *(f"{_CONTEXT}{way}.{name}" for way in ("spawn", "forkserver", "unknown") for name in _RUNNING)
)
def spawns(call: Call) -> Value:
    return _started(call)


def _started(call: Call) -> Value:
    target, args = call.get(1, "target"), call.get(3, "args")
    if call.short == "Process" and target is not None:
        content = Tuple(()) if args is None else contents(call.engine, args)
        if isinstance(content, Tuple):
            _elsewhere(call, target, content.items)
    return only(Library(POOL, call.origin)) if call.short == "Pool" else UNKNOWN


@model(*(f"{each}{name}" for each in _PACKAGES for name in _QUEUES))
def queue(call: Call) -> Value:
    """What goes through it is pickled."""
    return only(Library(QUEUE, call.origin))


@model(*(f"{each}Pipe" for each in _PACKAGES))
def pipe(call: Call) -> Value:
    ends = only(Library(CONNECTION, call.origin))
    return only(Tuple((ends, ends), call.origin))


@model("shelve.open")
def shelf(call: Call) -> Value:
    """A dictionary in a file: what is stored is pickled."""
    return only(Library(SHELF, call.origin))


@model(
    "gymnasium.vector.AsyncVectorEnv",
    "gym.vector.AsyncVectorEnv",
    "stable_baselines3.common.vec_env.SubprocVecEnv",
)
def environments(call: Call) -> Value:
    """Environments in processes of their own."""
    chosen = call.keyword("context") or call.keyword("start_method")
    if chosen is None or chosen.constant == "fork":
        note_fork(call.engine, call.name, call.span, is_default=chosen is None)
    return UNKNOWN


@model("concurrent.futures.ProcessPoolExecutor", "concurrent.futures.process.ProcessPoolExecutor")
def executor(call: Call) -> Value:
    """Processes in the way of the context that is given."""
    chosen = call.get(1, "mp_context")
    if chosen is None or chosen.is_none:
        note_fork(call.engine, call.name, call.span, is_default=True)
    elif isinstance(chosen.only, Library) and chosen.only.name == f"{_CONTEXT}fork":
        note_fork(call.engine, call.name, call.span, is_default=False)
    return only(Library(EXECUTOR, call.origin))


@model("concurrent.futures.ThreadPoolExecutor", "concurrent.futures.thread.ThreadPoolExecutor")
def threads(call: Call) -> Value:
    return only(Library(_THREADS, call.origin))


def _elsewhere(call: Call, function: Value, args: tuple[Value, ...]) -> Value:
    """What a function gives in another process."""
    machine = call.engine
    if machine.traced or not isinstance(function.only, (Object, Method)):
        return UNKNOWN
    saved, events, layers = machine.save(), len(machine.events), len(machine.layers)
    activation, dispatches = machine.activation, machine.dispatches
    started, functions = set(activation.started), set(activation.functions)
    machine.layers.append({})
    machine.current = NO_MARKS
    try:
        return machine.call(function, args, {}, call.span)
    finally:
        del machine.layers[layers:]
        machine.restore(saved)
        activation.started, activation.functions = started, functions  # it is run by itself, too
        machine.dispatches = dispatches
        noted = machine.events[events:]
        machine.events[events:] = [
            event for event in noted if isinstance(event, Effect) and event.kind == PICKLED
        ]


@family(f"{POOL}.", f"{EXECUTOR}.")
def in_a_pool(call: Call) -> Value:
    """`pool.map(f, items)` pickles what `f` gives."""
    way = _CALLED.get(call.short)
    if way is not None and call.args:
        given = call.args[1:]
        if way == "each":
            given = tuple(element(call.engine, value, None)[0] for value in given)
        elif way == "tuple":
            content = contents(call.engine, given[0]) if given else None
            given = content.items if isinstance(content, Tuple) else ()
        out = _elsewhere(call, call.args[0], given)
        note_arrays(call.engine, out, call.span, of_pool(call.name))
    return Value((), True, call.marks)


@family(f"{_THREADS}.")
def in_a_thread(call: Call) -> Value:
    """`pool.submit(f, x)` calls `f(x)`, at some time."""
    if call.short == "submit" and call.args:
        call.engine.call(call.args[0], call.args[1:], call.keywords, call.span)
    return UNKNOWN
