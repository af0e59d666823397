import jax
import jax.numpy as jnp
import numpy as np
from jax.extend import core
from jax.interpreters import ad, batching, mlir

clip_ste_p = core.Primitive("clip_ste")


def clip_ste(x, lo=-1.0, hi=1.0):
    """Clipping in the forward pass, identity in the backward pass."""
    return clip_ste_p.bind(x, lo=lo, hi=hi)


def _impl(x, *, lo, hi):
    return jnp.clip(x, lo, hi)


def _jvp(primals, tangents, **kw):
    (x,), (t,) = primals, tangents
    return clip_ste_p.bind(x, **kw), t


def _batch(args, dims, **kw):
    return clip_ste_p.bind(args[0], **kw), dims[0]


clip_ste_p.def_impl(_impl)
clip_ste_p.def_abstract_eval(lambda x, **kw: x)
ad.primitive_jvps[clip_ste_p] = _jvp
batching.primitive_batchers[clip_ste_p] = _batch
mlir.register_lowering(clip_ste_p, mlir.lower_fun(_impl, multiple_results=False))


def quantized_dense(w, x, bits=4):
    levels = 2 ** (bits - 1) - 1
    wq = clip_ste(w)
    wq = wq + jax.lax.stop_gradient(jnp.round(wq * levels) / levels - wq)
    return x @ wq


def loss_fn(w, x, y):
    return jnp.mean((quantized_dense(w, x) - y) ** 2)


def fit(steps=30):
    rng = np.random.default_rng(0)
    x = jnp.asarray(rng.standard_normal((64, 4)), jnp.float32)
    y = x @ jnp.array([[0.5], [-0.25], [0.9], [0.1]])
    w = jnp.full((4, 1), 1.2)
    step = jax.jit(jax.value_and_grad(loss_fn))
    for _ in range(steps):
        loss, g = step(w, x, y)
        w = w - 0.2 * g
    return float(loss)


if __name__ == "__main__":
    print("loss", fit())
