"""Flax models of Hugging Face, which evaluate by default."""

import jax
import optax
from transformers import FlaxAutoModelForSequenceClassification

model = FlaxAutoModelForSequenceClassification.from_pretrained("bert-base-cased")


def fine_tune(state, batch, labels):
    def loss(params):
        logits = state.apply_fn(**batch, params=params).logits  # ! eval-in-train-mode
        return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()

    return state.apply_gradients(grads=jax.grad(loss)(state.params))


def with_key(state, tokens, labels, key):
    def loss(params):
        out = model(input_ids=tokens, params=params, dropout_rng=key)  # ! eval-in-train-mode
        return optax.softmax_cross_entropy_with_integer_labels(out[0], labels).mean()

    return jax.value_and_grad(loss)(state.params)


def with_dropout(state, batch, labels, key):
    def loss(params):
        logits = state.apply_fn(**batch, params=params, dropout_rng=key, train=True)[0]
        return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()

    return state.apply_gradients(grads=jax.grad(loss)(state.params))


def on_purpose(params, tokens):
    return jax.grad(lambda p: model(input_ids=tokens, params=p, train=False)[0].sum())(params)


def scores(state, batch):
    return state.apply_fn(**batch, params=state.params).logits


def options(state, batch, kwargs):
    def loss(params):
        return state.apply_fn(**batch, params=params, **kwargs)[0].mean()

    return jax.grad(loss)(state.params)
