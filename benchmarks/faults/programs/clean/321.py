"""Federated averaging: each client starts its local optimiser anew every round."""
import jax
import jax.numpy as jnp
import optax


def loss_fn(params, x, y):
    return jnp.mean((jnp.tanh(x @ params["w"]) @ params["v"] - y) ** 2)


def make_local_update(opt, epochs):
    @jax.jit
    def local_update(global_params, x, y):
        def body(carry, _):
            params, state = carry
            loss, g = jax.value_and_grad(loss_fn)(params, x, y)
            updates, state = opt.update(g, state, params)
            return (optax.apply_updates(params, updates), state), loss

        init = (global_params, opt.init(global_params))
        (params, _), losses = jax.lax.scan(body, init, None, length=epochs)
        return jax.tree.map(jnp.subtract, params, global_params), losses[-1]

    return local_update


def server_round(server_opt, server_state, params, deltas):
    mean = jax.tree.map(lambda *d: sum(d) / len(d), *deltas)
    pseudo_grad = jax.tree.map(jnp.negative, mean)
    updates, server_state = server_opt.update(pseudo_grad, server_state, params)
    return optax.apply_updates(params, updates), server_state


def client_data(key):
    x = jax.random.normal(key, (40, 5))
    return x, jnp.sin(x[:, 0])


def main(rounds=15):
    k1, k2 = jax.random.split(jax.random.key(0))
    params = {"w": 0.4 * jax.random.normal(k1, (5, 10)), "v": 0.4 * jax.random.normal(k2, (10,))}
    local = make_local_update(optax.adam(1e-2), epochs=5)
    server_opt = optax.sgd(1.0, momentum=0.5)
    server_state = server_opt.init(params)
    clients = [client_data(k) for k in jax.random.split(jax.random.key(1), 4)]
    for _ in range(rounds):
        results = [local(params, x, y) for x, y in clients]
        params, server_state = server_round(server_opt, server_state, params, [d for d, _ in results])
    return [round(float(l), 4) for _, l in results]


if __name__ == "__main__":
    print(main())
