import optax


def of_a_configuration(config):
    return optax.chain(optax.clip(config.max_grad_norm), optax.adam(1e-3))  # ! clip-by-value


def of_a_dictionary(config):
    return optax.chain(optax.clip(config["CLIP_NORM"]), optax.adam(1e-3))  # ! clip-by-value


def by_another_name(grad_norm_limit):
    limit = grad_norm_limit
    return optax.clip(max_delta=limit)  # ! clip-by-value


def of_the_norm(config):
    return optax.chain(optax.clip_by_global_norm(config.max_grad_norm), optax.adam(1e-3))


def of_a_value(config):
    return optax.chain(optax.clip(config.max_grad_value), optax.adam(1e-3))


def of_what_is_normal(normal_range):
    return optax.clip(normal_range)


def own(clip, config):
    return clip(config.max_grad_norm)
