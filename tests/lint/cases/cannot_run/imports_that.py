import jax.random as jr
from imports_itself import Model


def main():
    return Model((3, 4), jr.key(0))  # ! cannot-run
