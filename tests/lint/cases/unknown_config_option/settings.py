"""A file that uses no JAX, of a program that does."""

import os


def quiet():
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"


def on_the_host():
    os.environ.update({"JAX_PLATFORM": "cpu"})  # ! unknown-config-option
