import jax
import jax.numpy as jnp
import optax


def cross_entropy(logits, labels, loss_mask):
    losses = optax.softmax_cross_entropy_with_integer_labels(logits, labels)
    return (losses * loss_mask).mean()  # ! mean-over-masked


def without_padding(logits, tokens, pad_id):
    valid = tokens != pad_id
    losses = optax.softmax_cross_entropy_with_integer_labels(logits, tokens)
    losses = jnp.where(valid, losses, 0.0)
    return jnp.mean(losses)  # ! mean-over-masked


def up_to_a_length(errors, lengths):
    keep = jnp.arange(errors.shape[1]) < lengths[:, None]
    return jnp.mean(errors * keep)  # ! mean-over-masked


def up_to_each_length(errors, length):
    keep = jnp.arange(errors.shape[1]) < length
    return jnp.mean(errors * keep)  # ! mean-over-masked


def reconstruction(batch, predicted):
    observed = batch["mask"][..., None]
    error = observed * predicted - observed * batch["values"]
    return jnp.mean(error**2)  # ! mean-over-masked


def of_a_closure(apply, batch):
    def loss(params):
        shown = apply(params, batch.inputs) * batch.masks[:, None]
        return jnp.square(shown).mean()  # ! mean-over-masked

    return jax.grad(loss)


def spread_of_ratios(ratio, token_mask):
    return jnp.quantile(jnp.abs(ratio) * token_mask, 0.99)  # ! mean-over-masked


def over_the_features(error, valid):
    return jnp.mean(jnp.sum(error * valid[:, None], axis=-1))  # ! mean-over-masked


def labels_that_do_not_count(losses, labels):
    mask = labels >= 0
    losses = -mask * losses
    return losses.mean()


def divided_by_the_count(losses, mask):
    return (losses * mask).sum() / mask.sum()


def divided_by_the_mean(losses, mask):
    masked = jnp.mean(losses * mask)
    return masked / jnp.mean(mask)


def scaled_by_the_share(losses, mask):
    return jnp.mean(losses * mask) * (mask.size / mask.sum())


def weighted(losses, mask):
    weights = mask / jnp.mean(mask)
    return jnp.mean(losses * weights)


def with_a_mask_of_its_own(losses, mask):
    return jnp.mean(losses * mask, where=mask)


def share(mask, valid):
    return jnp.mean(mask * valid)


def of_a_scalar(losses, mask):
    average = jnp.sum(losses * mask) / jnp.sum(mask)
    return jnp.mean(average * mask)


def each_sequence(log_probs, mask):
    return jnp.mean(jnp.sum(log_probs * mask, axis=-1))


def dropped(x, key):
    mask = jax.random.bernoulli(key, 0.9, x.shape)
    return jnp.mean(x * mask)


def targets(rewards, masks, next_q, q):
    target = rewards + 0.99 * masks * next_q
    return jnp.mean((q - target) ** 2)


def positive_part(x):
    return jnp.mean(x * (x > 0))


def chosen(losses, mask=None):
    if mask is not None:
        losses = jnp.where(mask, losses, 0.0)
        loss = losses.sum() / mask.sum()
    else:
        loss = losses.mean()
    return loss


def left_early(losses, mask=None):
    if mask is not None:
        losses = losses * mask
        return losses.sum() / mask.sum()
    return losses.mean()


def ratio_of_masked(losses, mask_ratio):
    return jnp.mean(losses * mask_ratio)


def over_time(losses, mask):
    return jnp.mean(losses * mask, axis=-1)
