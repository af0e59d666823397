"""An evaluation is repeated with the same key, so that its results can be compared."""

import jax


class EvalRunner:
    def run(self, rng, params):
        return jax.random.normal(rng, (3,)) + params


def main():
    runner = EvalRunner()
    rng, key = jax.random.split(jax.random.key(0))
    params = jax.random.normal(key, (3,))
    for i in range(100):
        params = params * 0.9
        if i % 10 == 0:
            print(runner.run(rng, params))


main()
