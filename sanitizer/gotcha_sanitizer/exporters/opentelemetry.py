"""Spans for OpenTelemetry: the run, and in it each program with its stages.

`write` puts them into a file, one JSON object a span; `spans` gives them to any exporter.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from gotcha_sanitizer.run.record import Run
from gotcha_sanitizer.values.rows import STAGES
from gotcha_sanitizer.values.words import short

if TYPE_CHECKING:
    from opentelemetry.sdk.trace.export import SpanExporter  # pyright: ignore

EXTRA = "opentelemetry"
_NS = 10**9


def write(run: Run, path: Path) -> None:
    """Raises ImportError without the library."""
    from opentelemetry.sdk.trace.export import ConsoleSpanExporter  # pyright: ignore

    with path.open("w", encoding="utf-8") as file:
        spans(run, ConsoleSpanExporter(out=file, formatter=lambda s: s.to_json(indent=None) + "\n"))


def spans(run: Run, exporter: SpanExporter) -> None:
    from opentelemetry import trace  # pyright: ignore
    from opentelemetry.sdk.resources import Resource  # pyright: ignore
    from opentelemetry.sdk.trace import TracerProvider  # pyright: ignore
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor  # pyright: ignore

    began = float(run.start.get("time", 0.0))
    argv = [str(each) for each in run.start.get("argv") or ()]
    named = {"service.name": short(argv[0]) if argv else "jax program"}
    provider = TracerProvider(resource=Resource(named), shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    tracer = provider.get_tracer("gotcha")

    def at(second: float) -> int:
        return int((began + second) * _NS)

    whole = tracer.start_span("run", start_time=at(0.0))
    inside = trace.set_span_in_context(whole)
    for program in run.programs:
        took = sum(program["seconds"].values())
        begin = max(0.0, program["at"] - took)
        span = tracer.start_span(
            f"compile {program['function']}",
            inside,
            start_time=at(begin),
            attributes={
                "code.file.path": program["path"],
                "code.line.number": program["line"],
                "gotcha.shapes": program["shapes"],
                "gotcha.causes": list(program["causes"]),
                "gotcha.eager": program["eager"],
            },
        )
        for stage in STAGES:
            if stage in program["seconds"]:
                end = begin + program["seconds"][stage]
                part = tracer.start_span(
                    stage, trace.set_span_in_context(span), start_time=at(begin)
                )
                part.end(at(end))
                begin = end
        span.end(at(program["at"]))
    for found in run.problems:
        whole.add_event(
            found.name,
            {"gotcha.message": found.message, "gotcha.seconds": found.seconds},
            at(run.last),
        )
    whole.end(at(run.last))
    provider.shutdown()
