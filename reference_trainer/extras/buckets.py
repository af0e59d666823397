"""The lengths of buckets that need the least padding."""

from __future__ import annotations

import numpy as np

MULTIPLE = 8  # of the lengths


def bucket_lengths(sizes: np.ndarray, buckets: int, longest: int) -> tuple[int, ...]:
    """At most so many lengths, one for each size and with the least padding in all.

    Dynamic programming over the lengths that occur, rounded up: the best k buckets up to a length
    are the best k - 1 up to a smaller one, and one bucket for the rest.
    """
    lengths_J = np.unique(np.minimum(-(-sizes // MULTIPLE) * MULTIPLE, longest))
    fitting_J = np.searchsorted(np.sort(sizes), lengths_J, side="right")
    # Steps in a bucket of length j for what does not fit into i; a bucket i >= j is none.
    steps_IJ = lengths_J * (fitting_J - fitting_J[:, None])
    steps_IJ[np.tril_indices(len(lengths_J), -1)] = 2**62
    best_J, froms = lengths_J * fitting_J, []
    for _ in range(buckets - 1):
        total_IJ = best_J[:, None] + steps_IJ
        froms.append(total_IJ.argmin(axis=0))
        best_J = total_IJ.min(axis=0)
    chosen = [len(lengths_J) - 1]
    for from_J in reversed(froms):
        chosen.append(from_J[chosen[-1]])
    return tuple(lengths_J[sorted(set(chosen))].tolist())
