"""Monte-Carlo price of a call under stochastic volatility."""
import dataclasses
import time

import jax
import jax.numpy as jnp


@dataclasses.dataclass(frozen=True)
class Market:
    mu: float = 0.0001
    rho: float = 0.1
    nu: float = 0.001
    s0: float = 10.0
    h0: float = 0.0
    strike: float = 10.0
    beta: float = 0.99999
    periods: int = 60


def discounted_payoff(s, market):
    payoff = jnp.maximum(jnp.exp(s) - market.strike, 0.0)
    return market.beta**market.periods * jnp.mean(payoff)


def simulate_log_price(key, market, paths):
    s = jnp.full(paths, jnp.log(market.s0))
    h = jnp.full(paths, market.h0)
    for _ in range(market.periods):
        key, sub = jax.random.split(key)
        z = jax.random.normal(sub, (2, paths))
        s = s + market.mu + jnp.exp(h) * 0.01 * z[0]
        h = market.rho * h + market.nu * z[1]
    return s


def make_pricer(market, paths):
    @jax.jit
    def price(key):
        return discounted_payoff(simulate_log_price(key, market, paths), market)
    return price


def timed(fn, *args):
    start = time.perf_counter()
    out = fn(*args).block_until_ready()
    return out, time.perf_counter() - start


def main():
    price = make_pricer(Market(), paths=20_000)
    for label in ("first", "second"):
        value, seconds = timed(price, jax.random.PRNGKey(1))
        print(f"{label} call {float(value):.4f} in {seconds:.2f}s")


if __name__ == "__main__":
    main()
