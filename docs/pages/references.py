"""Official documentation to read on: what JAX's own message names, and a few pages by subject."""

from __future__ import annotations

import re
from typing import NamedTuple

from pages.measured import Example

_URL = re.compile(r"https://[^\s)]+")
_JAX = "https://docs.jax.dev/en/latest/"


class Source(NamedTuple):
    """A page of documentation and the gotchas that it is about."""

    title: str
    url: str
    names: str


SOURCES = (
    Source(
        "JAX: Ahead-of-time lowering and compilation",
        _JAX + "201/aot.html",
        "lower-then-call-otherwise",
    ),
    Source(
        "jax.checkpoint",
        _JAX + "_autosummary/jax.checkpoint.html",
        "remat-undone",
    ),
    Source(
        "Flax: issue 3946",
        "https://github.com/google/flax/issues/3946",
        "remat-negative-static",
    ),
    Source(
        "Optax: issue 417, Adam and AdamW",
        "https://github.com/google-deepmind/optax/issues/417",
        "weight-decay-in-moments",
    ),
    Source(
        "PEP 572: Assignment expressions",
        "https://peps.python.org/pep-0572/",
        "walrus-binds-comparison",
    ),
    Source(
        "Flax: flax.struct",
        "https://flax.readthedocs.io/en/v0.8.0/api_reference/flax.struct.html",
        "struct-indexed-by-name",
    ),
    Source(
        "JAX: Frequently asked questions",
        _JAX + "faq.html",
        "jit-of-bound-method stale-self stale-global stale-capture jit-method-no-static-self "
        "where-nan-gradient infinite-derivative timing-without-wait use-after-donation",
    ),
    Source(
        "JAX: The Sharp Bits",
        _JAX + "notebooks/Common_Gotchas_in_JAX.html",
        "inplace-assignment discarded-update key-reuse split-discarded side-effect-in-jit "
        "host-random-in-jit traced-if traced-shape bool-mask-in-jit x64-set-too-late "
        "int64-truncation argument-mutated-in-jit counter-in-jit out-of-bounds-index "
        "wide-type-without-x64 float-into-integer-array operand-refused",
    ),
    Source(
        "JAX: Persistent compilation cache",
        _JAX + "persistent_compilation_cache.html",
        "compile-cache-unused set-order-in-program",
    ),
    Source(
        "JAX: debugging flags",
        _JAX + "debugging/flags.html",
        "non-finite-value non-finite-weights failed-guard where-nan-gradient norm-at-zero "
        "except-never-raised unguarded-division",
    ),
    Source(
        "JAX: Pseudorandom numbers",
        _JAX + "random-numbers.html",
        "constant-key-in-jit key-not-numpy seed-overflow split-and-fold-in",
    ),
    Source(
        "JAX: Just-in-time compilation",
        _JAX + "201/jit.html",
        "recompile changing-static-argument varying-shape partial-last-batch growing-array "
        "jit-in-loop jit-of-partial jit-captures-batch large-constant-captured wrong-cache-key "
        "parameter-ignored-for-self eager-grad eager-optimizer-update eager-op-storm eager-at-loop "
        "eager-init "
        "slow-path-call host-bound-loop many-first-compiles weak-type-argument changing-dtype "
        "changing-structure call-style-varies",
    ),
    Source(
        "jax.jit",
        _JAX + "_autosummary/jax.jit.html",
        "unhashable-static-argument unknown-static-name changing-static-argument donated-twice",
    ),
    Source(
        "jax.grad",
        _JAX + "_autosummary/jax.grad.html",
        "grad-int-input grad-int-output grad-kwarg-only grad-missing-has-aux grad-non-scalar "
        "zero-gradient",
    ),
    Source(
        "JAX: Control flow and logical operators with jit",
        _JAX + "201/control-flow.html",
        "eager-control-flow scan-carry-type array-truth-value unrolled-loop",
    ),
    Source("jax.lax.while_loop", _JAX + "_autosummary/jax.lax.while_loop.html", "grad-of-while"),
    Source("jax.custom_vjp", _JAX + "_autosummary/jax.custom_vjp.html", "custom-vjp-structure"),
    Source(
        "JAX: Pytrees",
        _JAX + "101/pytrees.html",
        "dict-values-leaf trailing-comma-on-state tree-map-structure mixed-dict-keys "
        "opt-state-index namedtuple-rebuilt-by-type general-type-first "
        "dict-test-misses-frozendict type-test-never-true fields-in-wrong-order "
        "struct-indexed-by-name "
        "argument-mutated-in-jit",
    ),
    Source(
        "JAX: Custom pytree nodes",
        _JAX + "custom_pytrees.html",
        "unregistered-pytree general-type-first",
    ),
    Source(
        "JAX: Asynchronous dispatch",
        _JAX + "async_dispatch.html",
        "host-read-every-step iterate-device-array timing-without-wait",
    ),
    Source(
        "JAX: GPU memory allocation",
        _JAX + "201/gpu-memory.html",
        "out-of-memory memory-growth environment-not-set",
    ),
    Source(
        "JAX: Configuration options",
        _JAX + "config_options.html",
        "unknown-config-option environment-set-too-late backend-started-too-early backend-missing "
        "silent-cpu-fallback",
    ),
    Source(
        "JAX: Distributed arrays and automatic parallelization",
        _JAX + "201/sharding.html",
        "incompatible-devices indivisible-batch sharding-constraint-no-mesh unbound-axis",
    ),
    Source("JAX: Controlling XLA", _JAX + "201/controlling-xla.html", "xla-flag-unknown"),
    Source(
        "JAX: Type promotion semantics",
        _JAX + "type_promotion.html",
        "constant-lost-in-half-precision computed-in-half-precision layer-without-dtype "
        "float16-without-loss-scaling",
    ),
    Source(
        "Flax: setup vs compact",
        "https://flax.readthedocs.io/en/v0.6.10/guides/setup_or_nncompact.html",
        "option-not-read unused-result linen-setup-read-outside layer-argument-misplaced "
        "qkv-features-per-head layer-without-dtype type-as-default",
    ),
    Source(
        "Flax: Module and Pytree",
        "https://flax.readthedocs.io/en/latest/guides/pytree.html",
        "nnx-plain-list",
    ),
    Source(
        "Flax: Batch normalization",
        "https://flax.readthedocs.io/en/v0.6.11/guides/batch_norm.html",
        "batch-stats-dropped mutable-result-not-unpacked eval-in-train-mode",
    ),
    Source(
        "Flax NNX vs JAX transformations",
        "https://flax.readthedocs.io/en/latest/guides/jax_and_nnx_transforms.html",
        "jit-on-nnx-module nnx-closure-stale",
    ),
    Source(
        "flax.nnx.Optimizer",
        "https://flax.readthedocs.io/en/latest/api_reference/flax.nnx/training/optimizer.html",
        "nnx-optimizer-args",
    ),
    Source(
        "Optax documentation",
        "https://optax.readthedocs.io/",
        "clip-after-optimizer clip-by-value silent-training-error positive-learning-rate "
        "update-without-params optimizer-reinitialised "
        "weight-decay-after-optimizer apply-updates-swapped double-softmax log-of-softmax "
        "label-ignore-index decay-steps-without-warmup weight-decay-without-mask "
        "apply-every-in-chain",
    ),
    Source(
        "jax.numpy.mean",
        _JAX + "_autosummary/jax.numpy.mean.html",
        "mean-over-masked",
    ),
    Source(
        "jax.device_put",
        _JAX + "_autosummary/jax.device_put.html",
        "per-example-device-put numpy-weights-each-call",
    ),
    Source(
        "Python: What can be pickled and unpickled",
        "https://docs.python.org/3/library/pickle.html#what-can-be-pickled-and-unpickled",
        "closure-pickled device-array-pickled",
    ),
    Source("Python: json", "https://docs.python.org/3/library/json.html", "array-in-json"),
    Source(
        "Python: os.fork",
        "https://docs.python.org/3/library/os.html#os.fork",
        "fork-after-start",
    ),
    Source(
        "numpy.save",
        "https://numpy.org/doc/stable/reference/generated/numpy.save.html",
        "tree-in-np-save",
    ),
    Source(
        "Orbax: Checkpointing",
        "https://orbax.readthedocs.io/en/latest/guides/checkpoint/orbax_checkpoint_101.html",
        "orbax-existing-dir orbax-relative-path checkpoint-of-another-model",
    ),
    Source("JAX: Change log", _JAX + "changelog.html", "removed-api"),
    Source(
        "JAX: jax.checkpoint",
        _JAX + "_autosummary/jax.checkpoint.html",
        "checkpoint-policy-called",
    ),
    Source(
        "JAX: jax.make_mesh", _JAX + "_autosummary/jax.make_mesh.html", "mesh-axis-types with-mesh"
    ),
    Source(
        "Orbax: Checkpointers",
        "https://orbax.readthedocs.io/en/stable/api_reference/checkpoint.checkpointers.html",
        "checkpoint-not-awaited orbax-restore-without-target checkpoint-shapes-unchecked "
        "replicated-state-saved restore-finds-nothing "
        "incomplete-checkpoint",
    ),
    Source(
        "NumPy: Broadcasting",
        "https://numpy.org/doc/stable/user/basics.broadcasting.html",
        "column-minus-row",
    ),
    Source(
        "JAX: Type promotion",
        _JAX + "jep/9407-type-promotion.html",
        "unsigned-subtraction float-into-integer-array",
    ),
    Source("JAX: jax.numpy.mean", _JAX + "_autosummary/jax.numpy.mean.html", "float-where-mask"),
    Source("JAX: Tracing", _JAX + "tracing.html", "traced-container-key"),
    Source(
        "Flax: Data loaders",
        "https://flax.readthedocs.io/en/latest/guides/data_loaders.html",
        "jnp-in-data-pipeline shuffle-after-batch cycled-loader",
    ),
    Source(
        "JAX: jax.local_device_count",
        _JAX + "_autosummary/jax.local_device_count.html",
        "device-count-of-all-hosts",
    ),
)


def section(name: str, own: str, shown: tuple[Example, ...]) -> str:
    """A list of links, those of the rule's docstring first; empty where none is known for sure."""
    texts = [own, *(each.error.get("message", "") for each in shown)]
    named = [url.rstrip(",.") for text in texts for url in _URL.findall(text)]
    known = {each.url: each.title for each in SOURCES}
    links = {url: known.get(url) or _title(url) for url in named}
    links |= {each.url: each.title for each in SOURCES if name in each.names.split()}
    return "\n".join(f"- [{title}]({url})" for url, title in links.items())


def _title(url: str) -> str:
    """The name that the address itself has: an exception, a function, an issue."""
    if issue := re.fullmatch(r"https://github\.com/([\w-]+/[\w-]+)/(?:issues|pull)/(\d+)", url):
        return f"{issue[1]}#{issue[2]}"
    return url.rpartition("#")[2].rpartition("/")[2].removesuffix(".html")
