import argparse

import jax
from jax import config

jax.config.update("jax_debug_nans", True)  # ! debug-option-on


def main():
    config.update("jax_disable_jit", True)  # ! debug-option-on
    args = argparse.ArgumentParser().parse_args()
    jax.config.update("jax_enable_x64", True)
    if args.debug:
        jax.config.update("jax_debug_infs", True)


def log():
    jax.config.update("jax_log_compiles", True)
