"""Asks for a device that this installation cannot use.

`jax` alone comes with the CPU. A GPU or TPU needs its plugin (`pip install "jax[cuda13]"`), one that
fits jaxlib and the driver; the error names the platform that was tried last, not always the one
that was meant. With `JAX_PLATFORMS=cuda,cpu` there is no error:
[silent-cpu-fallback](silent-cpu-fallback.md).
"""

import jax

devices = jax.devices("tpu")  # ! backend-missing
