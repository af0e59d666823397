"""Self-play iterations: every iteration starts from the saved network of the last one."""
import os
import tempfile

import jax
import jax.numpy as jnp
import numpy as np
import optax


def init_network(key, obs=9, hidden=32, actions=9):
    k1, k2, k3 = jax.random.split(key, 3)
    return {"torso": {"w": jax.random.normal(k1, (obs, hidden)) / 3.0, "b": jnp.zeros(hidden)},
            "policy": {"w": jax.random.normal(k2, (hidden, actions)) / 6.0},
            "value": {"w": jax.random.normal(k3, (hidden, 1)) / 6.0}}


def apply_network(params, board):
    h = jax.nn.relu(board @ params["torso"]["w"] + params["torso"]["b"])
    return h @ params["policy"]["w"], jnp.tanh(h @ params["value"]["w"])[..., 0]


tx = optax.sgd(0.05, momentum=0.9)


@jax.jit
def update(params, opt_state, board, pi, z):
    def loss_fn(p):
        logits, value = apply_network(p, board)
        return optax.softmax_cross_entropy(logits, pi).mean() + jnp.mean((value - z) ** 2)

    loss, grads = jax.value_and_grad(loss_fn)(params)
    updates, opt_state = tx.update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state, loss


def save_model(path, params):
    leaves = jax.tree.leaves(params)
    np.savez(path, **{f"leaf_{i}": np.asarray(x) for i, x in enumerate(leaves)})


def load_model(path):
    structure = jax.tree.structure(init_network(jax.random.key(0)))
    with np.load(path) as data:
        return jax.tree.unflatten(structure, [data[f"leaf_{i}"] for i in range(len(data.files))])


def self_play(rng, games=64):
    board = rng.integers(-1, 2, (games, 9)).astype(np.float32)
    pi = rng.dirichlet(np.ones(9), games).astype(np.float32)
    return board, pi, rng.choice([-1.0, 1.0], games).astype(np.float32)


def main(iterations=3):
    rng = np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "latest.npz")
        for it in range(iterations):
            params = init_network(jax.random.key(0)) if it == 0 else load_model(path)
            opt_state = tx.init(params)
            for _ in range(4):
                params, opt_state, loss = update(params, opt_state, *self_play(rng))
            save_model(path, params)
            print("iteration", it, "loss", float(loss))


if __name__ == "__main__":
    main()
