from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
import optax


@dataclass(frozen=True)
class TrainArgs:
    epochs: int = 2
    batch_size: int = 8
    grad_accum: int = 4
    warmup_steps: int = 4
    lr: float = 3e-2


def create_schedule(args, num_train_steps):
    warmup = optax.linear_schedule(0.0, args.lr, args.warmup_steps)
    decay = optax.linear_schedule(args.lr, 0.0, num_train_steps - args.warmup_steps)
    return optax.join_schedules([warmup, decay], [args.warmup_steps])


def create_optimizer(args, num_examples):
    steps_per_epoch = num_examples // args.batch_size
    schedule = create_schedule(args, steps_per_epoch * args.epochs)
    tx = optax.MultiSteps(optax.adamw(schedule), every_k_schedule=args.grad_accum)
    return tx, schedule


def loss_fn(params, x, y):
    logits = x @ params["w"] + params["b"]
    return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()


def loader(x, y, batch_size, seed):
    order = np.random.default_rng(seed).permutation(len(x))
    for i in range(0, len(x) - batch_size + 1, batch_size):
        idx = order[i : i + batch_size]
        yield x[idx], y[idx]


def train(args=TrainArgs()):
    rng = np.random.default_rng(0)
    x = rng.standard_normal((256, 5)).astype(np.float32)
    y = (x[:, 0] > 0).astype(np.int32)
    params = {"w": jnp.zeros((5, 2)), "b": jnp.zeros(2)}
    tx, schedule = create_optimizer(args, len(x))
    opt_state = tx.init(params)

    @jax.jit
    def step(params, opt_state, bx, by):
        grads = jax.grad(loss_fn)(params, bx, by)
        updates, opt_state = tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state

    for epoch in range(args.epochs):
        for bx, by in loader(x, y, args.batch_size, epoch):
            params, opt_state = step(params, opt_state, bx, by)
    lr = schedule(opt_state.gradient_step)
    print("optimizer steps", int(opt_state.gradient_step), "last lr", float(lr))


if __name__ == "__main__":
    train()
