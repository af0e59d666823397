"""The one file that knows names which JAX does not document, and where they are.

All of them were read in jax 0.10.2, 0.11.2 and 0.12.0.1. `internals`, `jaxprs` and `loops` read
what they hold; `self_tests` says which are gone, and what is lost then. None is replaced: frames of
JAX's own functions are looked at while one of its public monitoring events is sent.
"""

from __future__ import annotations

from operator import attrgetter
from typing import Any

# -- events of jax.monitoring ----------------------------------------------------------------------

STAGES = {  # the stage that each of them times
    "/jax/core/compile/jaxpr_trace_duration": "trace",
    "/jax/core/compile/jaxpr_to_mlir_module_duration": "lower",
    "/jax/core/compile/backend_compile_duration": "compile",
}
CACHE_HIT = "/jax/compilation_cache/cache_hits"
CACHE_MISS = "/jax/compilation_cache/cache_misses"
CACHE_REQUEST = "/jax/compilation_cache/compile_requests_use_cache"
# Modules that have these names among their constants.
STAGES_IN, CACHE_IN = "_src.dispatch", ("_src.compiler", "_src.compilation_cache")
LISTENERS_IN = "_src.monitoring"
LISTENERS = ("_scalar_listeners", "_event_duration_secs_listeners", "_event_listeners")

# -- frames: the functions, and variables in them ------------------------------------------------

PJIT = "_src.pjit"
CALL, CALL_IN = "cache_miss", "_src.pjit._cpp_pjit"  # a jitted call that is not on the fast path
TRACE = "_trace_for_jit"  # of PJIT
TRANSFORMED = "call_impl_cache_miss"  # a jitted function evaluated by a transformation
TRANSFORMED_IN = "_src.pjit._pjit_call_impl"
RULES = {"_pjit_linearize": "grad", "_pjit_batcher": "vmap", "_pjit_transpose_fancy": "grad"}
GRADIENT = "value_and_grad_f"
GRADIENTS = {GRADIENT: "value_and_grad", "grad_f": "grad", "jacfun": "jacfwd"}
CALLBACK = "_wrapped_callback"  # what a program runs for jax.debug.callback and other callbacks
CALLBACK_IN = "_src.callback.emit_python_callback"
FUN, ARGS, KWARGS = "fun", "args", "kwargs"  # of a call, a trace and a gradient
PREPARED, PARAMS, FLAT = "p", "params", "args_flat"  # of a call, once it was traced
INFO_OF_TRACE, INFO_OF_CALL, TRACED = "ji", "jit_info", "jaxpr"
ARGNUMS, HAS_AUX = "argnums", "has_aux"  # of a gradient
PMAPPED = "_cached_shard_map.<locals>._fun"  # what jax.pmap compiles
PMAP, MAPPED = "_src.pmap", "f"

# -- what jit keeps about a function ---------------------------------------------------------------

INFO = "_src.pjit.PjitInfo"
OPTIONS = (
    "donate_argnums",
    "donate_argnames",
    "static_argnums",
    "static_argnames",
    "in_shardings_leaves",
    "out_shardings_leaves",
    "device",
    "backend",
    "keep_unused",
    "inline",
    "compiler_options_kvs",
)
PARAMETERS = "fun_signature"
UNSPECIFIED = "Unspecified"  # in the type of an option that was not given

# -- settings, hosts, arrays -----------------------------------------------------------------------

FLAGS = "values"  # of jax.config
CONFIG, CONTEXT, CONTEXT_NAMES = "_src.config", "trace_context", "trace_context_names"
BACKENDS, CLIENTS, STARTED = "_src.xla_bridge", "_backends", "backends_are_initialized"
HOSTS, CONNECTION = "_src.distributed.global_state", "client"
HOST, HOST_COUNT = "process_id", "num_processes"
SHARDINGS = ("in_shardings_leaves", "out_shardings_leaves")  # of INFO
KEY_DATA = "_base_array"  # of a typed key
ARRAYS, ARRAY = "_src.array", "ArrayImpl"

# -- jaxprs ----------------------------------------------------------------------------------------

EQUATION, SOURCE_INFO = "_src.core.JaxprEqn", "source_info"
SOURCE, TRACEBACK, SCOPE = "_src.source_info_util.SourceInfo", "traceback", "name_stack"
DEBUG_INFO, DEBUG = "_src.core.DebugInfo", "debug_info"
DEFINED, INPUTS, RESULTS = "func_src_info", "arg_names", "result_paths"
PRIMITIVE, BIND = "_src.core.Primitive", "get_bind_params"
DONATED = "donated_invars"
CALLS = frozenset(  # primitives that call a jaxpr with their own operands, and where they keep it
    {"jit", "pjit", "closed_call", "core_call", "remat2", "checkpoint", "shard_map"}
    | {"custom_jvp_call", "custom_vjp_call", "custom_vjp_call_jaxpr"}
)
BODIES = ("jaxpr", "call_jaxpr", "fun_jaxpr")
JITTED = ("jit", "pjit")
# Functions that make the zeros of a gradient, innermost first, and their modules.
ZEROS, ZEROS_IN = ("instantiate_zeros", "_vjp3_bwd"), ("_src.interpreters.ad", "_src.api")
# Parameters of a scan (its counts before jax 0.11, its tree since), of a while and a cond, and
# functions of JAX that take parameters of these names.
SCAN, COUNTS, TREE = ("jaxpr", "length", "reverse"), ("num_consts", "num_carry"), "ft_in"
WHILE = ("cond_jaxpr", "body_jaxpr", "cond_nconsts", "body_nconsts")
BRANCHES = "branches"
TAKES_SCAN = "_src.lax.control_flow.loops._scan_impl"
TAKES_WHILE = "_src.lax.control_flow.loops._while_loop_abstract_eval"
TAKES_BRANCHES = "_src.lax.control_flow.conditionals._cond_abstract_eval"


def held(jax: Any, path: str) -> Any:
    """What is at a dotted path below `jax`. Raises AttributeError where it is gone."""
    return attrgetter(path)(jax)
