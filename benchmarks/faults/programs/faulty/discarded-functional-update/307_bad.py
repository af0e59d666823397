import tempfile
from pathlib import Path

import jax
import jax.numpy as jnp
import optax
from flax import linen as nn
from flax.serialization import from_bytes, to_bytes
from flax.training import train_state


class Seq2Seq(nn.Module):
    vocab: int = 24
    dim: int = 16

    @nn.compact
    def __call__(self, ids):
        x = nn.Embed(self.vocab, self.dim)(ids)
        x = nn.RNN(nn.GRUCell(self.dim))(x)
        return nn.Dense(self.vocab)(x)


def create_state(seed=0, lr=3e-3):
    model = Seq2Seq()
    params = model.init(jax.random.key(seed), jnp.zeros((1, 5), jnp.int32))["params"]
    return train_state.TrainState.create(
        apply_fn=model.apply, params=params, tx=optax.adam(lr)
    )


def save_state(state, out_dir):
    (out_dir / "params.msgpack").write_bytes(to_bytes(state.params))
    (out_dir / "opt_state.msgpack").write_bytes(to_bytes(state.opt_state))


def restore_state(state, artifact_dir):
    params_file = artifact_dir / "params.msgpack"
    state = state.replace(params=from_bytes(state.params, params_file.read_bytes()))
    opt_file = artifact_dir / "opt_state.msgpack"
    if opt_file.exists():
        opt_state = from_bytes(state.opt_state, opt_file.read_bytes())
        state.replace(opt_state=opt_state)
    return state


@jax.jit
def train_step(state, src, tgt):
    def loss_fn(params):
        logits = state.apply_fn({"params": params}, src)
        return optax.softmax_cross_entropy_with_integer_labels(logits, tgt).mean()

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    return state.apply_gradients(grads=grads), loss


def main():
    src = jax.random.randint(jax.random.key(1), (8, 5), 0, 24)
    tgt = (src + 1) % 24
    state = create_state()
    for _ in range(15):
        state, loss = train_step(state, src, tgt)
    with tempfile.TemporaryDirectory() as tmp:
        save_state(state, Path(tmp))
        resumed = restore_state(create_state(seed=5), Path(tmp))
    print("adam count saved", int(state.opt_state[0].count), "resumed", int(resumed.opt_state[0].count))


if __name__ == "__main__":
    main()
