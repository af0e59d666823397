"""Latent diffusion sampling pipeline with classifier-free guidance."""
import dataclasses
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np


@dataclasses.dataclass(frozen=True)
class SchedulerConfig:
    beta_start: float = 1e-4
    beta_end: float = 0.02
    train_steps: int = 1000


def alphas_cumprod(cfg):
    betas = jnp.linspace(cfg.beta_start, cfg.beta_end, cfg.train_steps)
    return jnp.cumprod(1.0 - betas)


def unet(params, latents, t, context):
    h = jnp.tanh(latents @ params["w_in"] + context @ params["w_ctx"] + t * params["w_t"])
    return h @ params["w_out"]


class Pipeline:
    def __init__(self, cfg, width=32, latent=16, context=8):
        self.cfg, self.latent = cfg, latent
        keys = jax.random.split(jax.random.PRNGKey(0), 4)
        shape = {"w_in": (latent, width), "w_ctx": (context, width),
                 "w_t": (width,), "w_out": (width, latent)}
        self.params = {n: 0.1 * jax.random.normal(k, s)
                       for k, (n, s) in zip(keys, shape.items())}

    def __call__(self, prompt_embeds, key, num_inference_steps=20, guidance_scale=7.5):
        images = _generate(self.cfg, self.params, prompt_embeds, key,
                           num_inference_steps, guidance_scale)
        return np.clip(np.asarray(images), -1, 1)


@partial(jax.jit, static_argnums=(0, 4, 5))
def _generate(cfg, params, prompt_embeds, key, num_inference_steps, guidance_scale):
    acp = alphas_cumprod(cfg)
    steps = jnp.linspace(cfg.train_steps - 1, 1, num_inference_steps).astype(jnp.int32)
    latents = jax.random.normal(key, (len(prompt_embeds), params["w_out"].shape[1]))
    context = jnp.concatenate([jnp.zeros_like(prompt_embeds), prompt_embeds])

    def body(latents, t):
        both = jnp.concatenate([latents, latents])
        uncond, cond = jnp.split(unet(params, both, t / cfg.train_steps, context), 2)
        eps = uncond + guidance_scale * (cond - uncond)
        x0 = (latents - jnp.sqrt(1 - acp[t]) * eps) / jnp.sqrt(acp[t])
        prev = jnp.maximum(t - cfg.train_steps // num_inference_steps, 0)
        return jnp.sqrt(acp[prev]) * x0 + jnp.sqrt(1 - acp[prev]) * eps, None

    return jax.lax.scan(body, latents, steps)[0]


def demo(pipe, requests):
    key = jax.random.PRNGKey(7)
    for scale in requests:
        key, sub = jax.random.split(key)
        out = pipe(jnp.ones((2, 8)), sub, guidance_scale=scale)
    return out


if __name__ == "__main__":
    out = demo(Pipeline(SchedulerConfig()), [1.0, 3.0, 5.5, 7.5, 9.0, 12.25])
    print(out.shape, "programs", _generate._cache_size())
