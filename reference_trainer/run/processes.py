"""The processes of a run: joining them, leaving them, and what happens when one is lost.

Wrong: JAX's own wait for a process that never comes, which ends by aborting this one; a run that
hangs in a collective when another process has died.
Right: one line that says what is missing, and an exit code that a supervisor understands.
"""

from __future__ import annotations

import importlib.util
import os
import re
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import jax

from reference_trainer.config import ConfigError

# In errors of collectives (on a CPU, on a GPU) and of JAX's coordination service.
LOST = re.compile(
    r"\bGloo\b|\bNCCL\b|[Cc]oordination ?[Ss]ervice|heartbeat|Barrier (failed|timed out)"
)


def connect(spec: str) -> None:
    """Join the processes of a run; call it before anything touches a device. ConfigError.

    `spec` is "none" (one process), "auto" (SLURM, Open MPI, Kubernetes and Cloud TPU are recognised
    by JAX), or "HOST:PORT,PROCESSES,ID".
    """
    if spec == "none":
        return
    timeout = int(os.environ.get("REFERENCE_TRAINER_CONNECT_SECONDS", "300"))
    if spec == "auto":
        try:
            jax.distributed.initialize(initialization_timeout=timeout)
        except (RuntimeError, ValueError) as error:
            raise ConfigError(
                f"--distributed auto: no cluster was recognised ({_unrecognised(error)}); "
                "give HOST:PORT,PROCESSES,ID"
            ) from error
        return
    address, *numbers = spec.split(",")
    host, _, port = address.rpartition(":")
    if not host or len(numbers) != 2 or not all(n.isdigit() for n in (port, *numbers)):
        raise ConfigError(f"--distributed {spec}: none, auto, or HOST:PORT,PROCESSES,ID")
    processes, own = map(int, numbers)
    if own >= processes:
        raise ConfigError(f"--distributed {spec}: the ID is a number from 0 to {processes - 1}")
    if own:
        _await(host.strip("[]"), int(port), timeout)
    jax.distributed.initialize(address, processes, own, initialization_timeout=timeout)


def leave() -> None:
    """Part from the other processes: what one does alone from here on, the others need not await.

    Without it they wait for that one as they exit, and are killed when it takes minutes.
    """
    if jax.process_count() > 1:
        jax.distributed.shutdown()


@contextmanager
def exit_if_peer_lost() -> Iterator[None]:
    """Ends this process, with a line and exit code 1, where an error says that another is gone.

    At once, without clean-up: a save and JAX's own exit would wait for the others for more than a
    minute, and then be aborted. Only the steps since the last checkpoint are lost.
    """
    try:
        yield
    except Exception as error:
        if jax.process_count() == 1 or not (why := _lost(error)):
            raise
        print(
            f"reference_trainer: another process of this run is gone ({why[:200]}): give the same "
            "commands again, all of them; the run goes on from its last checkpoint",
            file=sys.stderr,
            flush=True,
        )
        os._exit(1)


def _lost(error: BaseException | None) -> str:
    """What an error, or rather what caused it, says about a peer; else empty."""
    found = ""
    while error is not None:
        if LOST.search(str(error)):
            found = str(error).strip().partition("\n")[0]
        error = error.__cause__ or error.__context__
    return found


def _await(host: str, port: int, seconds: int) -> None:
    """Return when process 0 listens; ConfigError. JAX's own wait ends by aborting the process."""
    end = time.monotonic() + seconds
    while True:
        try:
            socket.create_connection((host, port), timeout=max(seconds, 1)).close()
            return
        except OSError as error:
            if time.monotonic() > end:
                raise ConfigError(
                    f"--distributed: no answer from {host}:{port} for {seconds} s "
                    f"({error.strerror or error}): is the process with ID 0 running there, and "
                    "may this machine reach it? REFERENCE_TRAINER_CONNECT_SECONDS waits longer"
                ) from error
        time.sleep(0.2)


def _unrecognised(error: Exception) -> str:
    if "KUBERNETES_SERVICE_HOST" in os.environ and not importlib.util.find_spec("kubernetes"):
        return "in Kubernetes it needs the package `kubernetes`: pip install 'jax[k8s]'"
    return str(error)
