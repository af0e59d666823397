"""What each gotcha costs: one file a gotcha, with a bad and a good way to do the same step.

`bad()` and `good()` make what they need and give a function that does one step, to its end. What
a step is, is said in one line by the file's docstring. Instead of the two, or besides them, a file
can have `bad_bytes()` and `good_bytes()`, which give a number of bytes, and `BYTES`, which says of
what.
"""

from __future__ import annotations

from collections.abc import Callable

Step = Callable[[], object]
