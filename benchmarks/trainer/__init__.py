"""Measurements of the reference trainer on this machine: `python -m benchmarks.trainer`.

A file in `measures/` is one family of measurements, found by being there. It has a docstring, the
seconds it may take on each platform it is for, and `measure(size)`, which yields rows. Adding one
edits nothing else.

Wrong: two programs timed one after the other on a shared machine; a first call that compiles; a
clock stopped before the device is done.
Right: both in one process, in turns, the best of several rounds, after a call that is not counted;
CPU seconds on a CPU, wall clock and `block_until_ready` elsewhere.
(gotchas: timing-without-wait)
"""
