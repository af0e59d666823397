import re
from collections.abc import Iterator

from gotcha_lint.facts.xla_flags import FLAGS, GONE
from gotcha_lint.interpret.faults.settings import FLAGS_SET
from gotcha_lint.patterns.local.known_texts import UNKNOWN
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.rule_helpers.spelling import meant
from gotcha_lint.solve.programs import Programs

_FLAG = re.compile(r"--(xla_\w*[a-z0-9])(?![\w{])")
_GLUED = re.compile(rf"[^\s{UNKNOWN}](--xla_\w+)")
_BARE = re.compile(r"\s*(xla_\w+)")


class XlaFlagUnknown(Rule):
    """Puts into `XLA_FLAGS` what this version of XLA does not know, or cannot read.

    ## What happens
    At the first array the whole process ends: `Unknown flag in XLA_FLAGS: --xla_gpu_graph_level=0`.
    There is no exception to catch. Releases remove flags, and older guides still name them. So does
    a flag whose name is misspelt, one without its dashes (`Could not open file "xla_..."`), and one
    that is put behind another without a space: it becomes a part of that one's value, and is lost
    or ends the process.

    ## Instead
    Leave the flag out: what it switched is mostly on for good. Put a space before each flag that is
    added: `flags + " --xla_dump_to=dump"`.

    ## Not reported
    Flags that are neither known to be gone nor one word's spelling away from one that is there:
    a later release may have them, or the compiler for TPUs. Flags set in shells and configuration
    files; flags that are gone only from a release later than `target-jax` on; tests.

    ## In a run
    Nothing: the process is gone. `gotcha-lint --explain-error` knows the message.
    """

    severity = "error"
    examples = (
        Example(
            bad="""
                import os

                flag = "--xla_gpu_enable_async_collectives=true"
                os.environ["XLA_FLAGS"] = flag  # ! xla-flag-unknown

                import jax
            """,
            good="""
                import os

                flag = "--xla_gpu_enable_latency_hiding_scheduler=true"
                os.environ["XLA_FLAGS"] = flag

                import jax
            """,
            unseen="XLA ends the process, with the one in which all examples run",
        ),
        Example(
            bad="""
                import os

                flags = os.environ.get("XLA_FLAGS", "")
                os.environ["XLA_FLAGS"] = flags + "--xla_dump_to=dump"  # ! xla-flag-unknown

                import jax
            """,
            good="""
                import os

                flags = os.environ.get("XLA_FLAGS", "")
                os.environ["XLA_FLAGS"] = flags + " --xla_dump_to=dump"

                import jax
            """,
            unseen="XLA ends the process, with the one in which all examples run",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of(FLAGS_SET):
            whole, *parts = fault.text
            found = list(self._problems(whole))
            if found:
                message = "; ".join(dict.fromkeys(problem for _, problem in found))
                places = tuple(
                    place
                    for place, part in zip(fault.places, parts, strict=True)
                    if any(flag in part for flag, _ in found)
                )
                yield Foreseen((fault.path, fault.span), message, places)

    def _problems(self, text: str) -> Iterator[tuple[str, str]]:
        """What of the text is wrong, and why."""
        bare = _BARE.match(text)
        if bare is not None:
            why = f"`{bare[1]}` needs two dashes before it: XLA reads it as the name of a file"
            yield bare[1], why
            return
        for glued in _GLUED.finditer(text):
            why = "there is no space before this flag: it becomes part of the flag before it"
            yield glued[1], why
        for name in _FLAG.findall(text):
            since = GONE.get(name)
            if since is not None and since <= self.options.target_jax:
                release = ".".join(map(str, since))
                yield name, f"XLA has had no flag `{name}` since jax {release}: it ends the process"
            if since is None and (right := meant(name, FLAGS)):
                why = f"XLA has no flag `{name}`, which ends the process; it is called `{right}`"
                yield name, why
