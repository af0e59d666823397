"""A trainer in JAX, Flax and Optax, to be read and copied: every pattern in it is the correct one.

Read in this order: `config`, `model/backbone`, `train/step`, `train/loop`; then what you need.
"""
