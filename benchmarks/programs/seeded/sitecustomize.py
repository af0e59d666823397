"""Seeds what a program makes its data with that does not do so itself: two runs are comparable."""

from __future__ import annotations

import random

import numpy as np

random.seed(0)
np.random.seed(0)
