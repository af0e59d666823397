"""Facts about Python, numpy and the serializers: what runs on the host."""

from __future__ import annotations

from gotcha_lint.facts import Fact

LIBRARIES: set[str] = set()

# With these an agent's functions are compiled by a wrapper that is given them as methods.
COMPILED_WHOLE = frozenset({"ninjax"})

ROWS: dict[str, Fact] = {
    "numpy.save": Fact("none", effect="io", pickles=1),
    "numpy.random.seed": Fact("none"),
    "numpy.random.default_rng": Fact("object:numpy.random.Generator"),
    "numpy.random.RandomState": Fact("object:numpy.random.RandomState"),
    "time.time": Fact("static-number", effect="time"),
    "time.perf_counter": Fact("static-number", effect="time"),
    "time.monotonic": Fact("static-number", effect="time"),
    "time.process_time": Fact("static-number", effect="time"),
    "time.perf_counter_ns": Fact("static-number", effect="time"),
    "time.time_ns": Fact("static-number", effect="time"),
    "time.sleep": Fact("none", effect="time"),
    "timeit.default_timer": Fact("static-number", effect="time"),
    "datetime.datetime.now": Fact("static", effect="time"),
    "datetime.datetime.utcnow": Fact("static", effect="time"),
    "uuid.uuid4": Fact("static", effect="random"),
    "os.urandom": Fact("static", effect="random"),
    "secrets.token_bytes": Fact("static", effect="random"),
    "builtins.print": Fact("none", effect="print"),
    "sys.stdout.write": Fact("static-int", effect="print"),
    "sys.stderr.write": Fact("static-int", effect="print"),
    "pickle.dump": Fact("none", pickles=0),
    "pickle.dumps": Fact("static", pickles=0),
    "cloudpickle.dump": Fact("none", pickles=0),
    "cloudpickle.dumps": Fact("static", pickles=0),
    "dill.dump": Fact("none", pickles=0),
    "dill.dumps": Fact("static", pickles=0),
    "joblib.dump": Fact("none", pickles=0),
    "torch.save": Fact("none", pickles=0),
    "compress_pickle.dump": Fact("none", pickles=0),
    "ray.put": Fact("static", pickles=0),
}
# A queue, a pipe or a pool pickles what goes through it; a pool its function too.
for _sink in ["Queue.put", "Queue.put_nowait", "Connection.send"]:
    ROWS[f"multiprocessing.{_sink}"] = Fact("none", pickles=0)
for _sink in ["map", "starmap", "apply"]:
    ROWS[f"multiprocessing.Pool.{_sink}"] = Fact("", pickles=1)
    ROWS[f"multiprocessing.Pool.{_sink}_async"] = Fact("", pickles=1)
for _sink in ["imap", "imap_unordered"]:
    ROWS[f"multiprocessing.Pool.{_sink}"] = Fact("", pickles=1)
for _sink in ["submit", "map"]:
    ROWS[f"concurrent.futures.ProcessPoolExecutor.{_sink}"] = Fact("", pickles=1)
# Functions that pickle their first argument.
PICKLERS = frozenset(
    {
        *("pickle.dump", "pickle.dumps", "cloudpickle.dump", "cloudpickle.dumps", "dill.dump"),
        *("dill.dumps", "joblib.dump", "torch.save", "compress_pickle.dump"),
    }
)
# Functions that give the bytes of a tree: nothing of the result is on the device.
SERIALIZING = frozenset(("flax.serialization.to_bytes", "flax.serialization.msgpack_serialize"))
# These write functions out by value, closures and lambdas too.
PICKLES_CLOSURES = frozenset({"cloudpickle", "dill", "ray"})
for _log in [
    "debug",
    "info",
    "warning",
    "warn",
    "error",
    "critical",
    "exception",
    "log",
    "log_every_n",
    "log_first_n",
]:
    ROWS[f"logging.{_log}"] = Fact("none", effect="log")
    ROWS[f"absl.logging.{_log}"] = Fact("none", effect="log")
    ROWS[f"logging.Logger.{_log}"] = Fact("none", effect="log")
    ROWS[f"loguru.logger.{_log}"] = Fact("none", effect="log")
for _name in [
    "wandb.log",
    "wandb.log_metrics",
    "tqdm.tqdm.write",
    "mlflow.log_metric",
    "mlflow.log_metrics",
]:
    ROWS[_name] = Fact("none", effect="log")
# They show what they are given to people.
SHOWING = frozenset(name for name, row in ROWS.items() if row.effect in ("print", "log"))

ALIASES = {
    "_pickle": "pickle",
    "cPickle": "pickle",
    "torch.multiprocessing": "multiprocessing",
    "multiprocess": "multiprocessing",
    "concurrent.futures.process.ProcessPoolExecutor": "concurrent.futures.ProcessPoolExecutor",
    "multiprocessing.pool.Pool": "multiprocessing.Pool",
    "joblib.numpy_pickle.dump": "joblib.dump",
}

# Methods of one library alone, by their names: they turn what they are given into text, at once.
FORMATTING = frozenset({"set_postfix"})
# Methods that put what they are given into their object.
FILLING = frozenset({"append", "extend", "appendleft", "insert", "add", "update"})
# Names that hold arrays on the device wherever JAX is used.
STATES = frozenset(
    ("params", "opt_state", "train_state", "batch_stats", "model_state", "ema_params", "opt_states")
)
