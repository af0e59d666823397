"""Flags and options that are there, of another compiler, or asked for: nothing is unknown."""

import os

import jax

flags = os.environ.get("XLA_FLAGS", "") + " "
os.environ["XLA_FLAGS"] = f"{flags}--xla_gpu_graph_min_graph_size=1"
os.environ["XLA_FLAGS"] += " --xla_tpu_spmd_rng_bit_generator_unsafe=1"
os.environ["JAX_RANDOM_WEIGHTS"] = "False"
os.environ["JAX_COORDINATOR_IP"] = "10.0.0.1"

if hasattr(jax.config, "jax_spmd_mode"):
    jax.config.update("jax_spmd_mode", "allow_all")
if "jax_pmap_shmap_merge" in jax.config.values:
    jax.config.update("jax_pmap_shmap_merge", False)
