"""Variational circuit on a state vector: train rotation angles to prepare a target."""
import time
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
import optax


@dataclass(frozen=True)
class Ansatz:
    qubits: int = 4
    layers: int = 30

    @property
    def num_params(self):
        return self.layers * self.qubits


def rotation_y(theta):
    c, s = jnp.cos(theta / 2), jnp.sin(theta / 2)
    return jnp.array([[c, -s], [s, c]])


def apply_single(state, gate, qubit):
    state = jnp.tensordot(gate, state, axes=[[1], [qubit]])
    return jnp.moveaxis(state, 0, qubit)


def entangle(state, qubits):
    """Controlled-Z along the chain."""
    for q in range(qubits - 1):
        index = [slice(None)] * qubits
        index[q] = index[q + 1] = 1
        state = state.at[tuple(index)].multiply(-1.0)
    return state


def circuit_layer(state, thetas, ansatz):
    for q in range(ansatz.qubits):
        state = apply_single(state, rotation_y(thetas[q]), q)
    return entangle(state, ansatz.qubits)


def run_circuit(params, ansatz):
    state = jnp.zeros((2,) * ansatz.qubits).at[(0,) * ansatz.qubits].set(1.0)
    thetas = params.reshape(ansatz.layers, ansatz.qubits)
    for layer in range(ansatz.layers):
        state = circuit_layer(state, thetas[layer], ansatz)
    return state


def infidelity(params, target, ansatz):
    return 1.0 - jnp.vdot(target, run_circuit(params, ansatz)) ** 2


def optimize(ansatz, target, steps, lr=0.05):
    tx = optax.adam(lr)
    params = jax.random.normal(jax.random.key(0), (ansatz.num_params,)) * 0.1
    opt_state = tx.init(params)

    @jax.jit
    def step(params, opt_state):
        loss, grad = jax.value_and_grad(infidelity)(params, target, ansatz)
        updates, opt_state = tx.update(grad, opt_state)
        return optax.apply_updates(params, updates), opt_state, loss

    tic = time.perf_counter()
    for i in range(steps):
        params, opt_state, loss = step(params, opt_state)
        if i == 0:
            jax.block_until_ready(loss)
            print("first step", round(time.perf_counter() - tic, 1), "s")
    return params, loss


if __name__ == "__main__":
    ghz = jnp.zeros((2,) * 4).at[0, 0, 0, 0].set(2**-0.5).at[1, 1, 1, 1].set(2**-0.5)
    _, loss = optimize(Ansatz(), ghz, steps=20)
    print("infidelity", float(loss))
