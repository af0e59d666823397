"""docs/gotchas/symptoms.md: people arrive with a symptom, not with a name."""

from __future__ import annotations

from typing import NamedTuple

from pages import measured
from pages.catalogue import gotchas


class Symptom(NamedTuple):
    """What one sees, in one's own words, and the gotchas that look like it, most likely first."""

    says: str
    names: str


TABLE = (
    Symptom(
        "It recompiles every step",
        "recompile jit-in-loop caches-cleared-in-loop jit-captures-batch jit-of-partial "
        "jit-of-bound-method varying-shape changing-static-argument growing-array wrong-cache-key "
        "trailing-comma-on-state eager-control-flow eager-op-storm",
    ),
    Symptom(
        "It compiles a second time, late in the epoch or at the second step",
        "partial-last-batch varying-shape recompile lower-then-call-otherwise "
        "apply-updates-swapped weak-type-argument changing-dtype changing-structure "
        "call-style-varies",
    ),
    Symptom(
        "Compiling takes very long, or the program is huge",
        "large-constant-captured jit-captures-batch unrolled-loop",
    ),
    Symptom(
        "Each start of the program compiles everything again",
        "compile-cache-unused set-order-in-program",
    ),
    Symptom(
        "It is slow, though nothing recompiles",
        "eager-grad eager-optimizer-update host-read-every-step numpy-weights-each-call "
        "slow-path-call host-bound-loop many-first-compiles silent-cpu-fallback "
        "device-array-pickled iterate-device-array "
        "eager-at-loop loop-over-examples per-example-device-put jnp-in-data-pipeline "
        "eager-op-storm layer-without-dtype eager-schedule eager-init "
        "sort-for-top-k one-hot-cross-entropy debug-option-on per-example-gradients",
    ),
    Symptom(
        "It gets slower and slower",
        "growing-array memory-growth varying-shape recompile",
    ),
    Symptom(
        "Memory grows",
        "memory-growth out-of-memory recompile large-constant-captured jit-captures-batch "
        "optimizer-never-used "
        "stale-self apply-updates-swapped missing-donation cycled-loader layer-without-dtype "
        "remat-undone",
    ),
    Symptom("The time measured is too good to be true", "timing-without-wait"),
    Symptom(
        "The loss is NaN",
        "where-nan-gradient infinite-derivative norm-at-zero log-of-softmax label-ignore-index "
        "non-finite-value non-finite-weights except-never-raised unguarded-division "
        "slice-to-minus-zero",
    ),
    Symptom(
        "The gradient is zero, or some parameters never change",
        "zero-gradient grad-int-output optimizer-reinitialised discarded-update unused-result "
        "float16-without-loss-scaling silent-training-error",
    ),
    Symptom(
        "The loss does not go down, or goes up",
        "positive-learning-rate double-softmax optimizer-reinitialised clip-after-optimizer "
        "apply-every-in-chain timeout-as-terminal "
        "zero-gradient pmean-of-gradients constant-key-in-jit constant-lost-in-half-precision "
        "computed-in-half-precision mean-over-masked clip-by-value "
        "layer-argument-misplaced qkv-features-per-head decay-steps-without-warmup "
        "shuffle-after-batch cycled-loader dataset-repeated-by-workers lstm-carry-swapped "
        "float16-without-loss-scaling one-sided-initializer "
        "weight-decay-in-moments weight-decay-after-optimizer weight-decay-without-mask "
        "frozen-weights-decay "
        "fields-in-wrong-order "
        "argument-mutated-in-jit gradients-not-reduced column-minus-row out-of-bounds-index "
        "whole-block-padded "
        "index-of-source-array "
        "unsigned-subtraction float-into-integer-array wide-type-without-x64 silent-training-error "
        "failed-guard",
    ),
    Symptom(
        "Nothing that I change has an effect",
        "stale-capture stale-global stale-self nnx-closure-stale parameter-ignored-for-self "
        "jit-on-nnx-module discarded-update environment-set-too-late "
        "environment-not-set x64-set-too-late "
        "backend-started-too-early unknown-config-option wrong-cache-key host-random-in-jit "
        "removed-api argument-mutated-in-jit counter-in-jit walrus-binds-comparison "
        "tracer-error-swallowed option-not-read unused-result type-test-never-true type-as-default "
        "default-from-default dropout-never-on field-without-annotation missing-nonlocal "
        "rng-asked-as-variable",
    ),
    Symptom("The tests pass, and the program is wrong", "assertion-cannot-fail"),
    Symptom(
        "The random numbers are the same every time",
        "key-reuse constant-key-in-jit split-discarded host-random-in-jit seed-overflow "
        "split-and-fold-in",
    ),
    Symptom(
        "Results differ between runs, or between machines",
        "host-random-in-jit environment-set-too-late x64-set-too-late use-after-donation "
        "silent-cpu-fallback pmean-of-gradients set-order-in-program unseeded-draw",
    ),
    Symptom(
        "Evaluation is much worse than training, or the reverse",
        "eval-in-train-mode batch-stats-dropped train-flag-traced stale-capture nnx-closure-stale "
        "jit-on-nnx-module restore-finds-nothing mean-of-batch-means",
    ),
    Symptom(
        "It works on one device, but not on several",
        "pmean-of-gradients gradients-not-reduced mesh-axis-types indivisible-batch "
        "incompatible-devices "
        "sharding-constraint-no-mesh unbound-axis device-count-of-all-hosts "
        "loss-of-one-device pmean-of-examples collective-on-one-process replicated-value-tested",
    ),
    # What a CPU forgives: its memory is the host's, and nothing has to be copied to reach it.
    Symptom(
        "It works on the CPU only: on a GPU it fails, hangs or is slow",
        "jax-in-callback incompatible-devices out-of-memory backend-missing fork-after-start "
        "environment-set-too-late host-read-every-step iterate-device-array "
        "numpy-weights-each-call per-example-device-put jnp-in-data-pipeline",
    ),
    Symptom(
        "It runs on the CPU only, though there is a GPU, or sees one device only",
        "silent-cpu-fallback backend-missing environment-set-too-late xla-flag-unknown",
    ),
    Symptom(
        "The checkpoint will not load, or is not there",
        "checkpoint-not-awaited orbax-restore-without-target checkpoint-shapes-unchecked "
        "incomplete-checkpoint "
        "end-test-never-true best-test-never-true end-not-saved "
        "closure-pickled checkpoint-of-another-model orbax-relative-path orbax-existing-dir "
        "tree-in-np-save general-type-first namedtuple-rebuilt-by-type key-not-numpy array-in-json "
        "dict-test-misses-frozendict device-array-pickled replicated-state-saved "
        "restore-finds-nothing",
    ),
    Symptom("It hangs", "fork-after-start"),
    Symptom(
        "A traced value shows up where a number should be",
        "side-effect-in-jit leaked-tracer host-cast-of-tracer",
    ),
    Symptom(
        "It worked with an older release, or warns",
        "removed-api removed-behind-hasattr deprecated-api private-import with-mesh "
        "mesh-axis-types pmean-of-gradients "
        "nnx-optimizer-args nnx-plain-list",
    ),
)


def symptoms() -> dict[str, tuple[str, ...]]:
    """The table, and after it what examples end in, by the name of the exception."""
    found = {each.says: tuple(each.names.split()) for each in TABLE}
    crashes: dict[str, list[str]] = {}
    for name in sorted(gotchas()):
        for example in measured.examples(name):
            kind = example.error.get("type")
            says = f"It ends with `{kind}`" if kind else "The process dies without a traceback"
            if example.error and name not in crashes.setdefault(says, []):
                crashes[says].append(name)
    return found | {says: tuple(names) for says, names in sorted(crashes.items())}


def page() -> str:
    """The index by symptom, in Markdown."""
    lines = [
        "# Gotchas by symptom",
        "",
        "Not in the list? `GOTCHA_SANITIZE=1 python train.py` looks for most of these at once, "
        "and `gotcha-lint --explain-error` reads a traceback. By name: [the index](README.md).",
    ]
    for says, names in symptoms().items():
        lines += ["", f"## {says}", ""]
        lines += [f"- [{name}]({name}.md): {gotchas()[name].summary}" for name in names]
    return "\n".join(lines) + "\n"
