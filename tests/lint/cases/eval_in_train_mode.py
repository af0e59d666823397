import jax
from flax import linen as nn, nnx
from flax.training import train_state

model = nn.Dropout(0.5)


def evaluate(state, x):
    return state.apply_fn(state.params, x, train=True)  # ! eval-in-train-mode


def eval_step(variables, x):
    return model.apply(variables, x, train=False)


def train_step(variables, x):
    return model.apply(variables, x, train=True)


def predict_mc_dropout(variables, x, key):
    return model.apply(variables, x, train=True, rngs={"dropout": key})


def predict(variables, x, train):
    return model.apply(variables, x, train=train)


def of_evaluations_alone(variables, x):
    return model.apply(variables, x, train=True)  # ! eval-in-train-mode


def evaluate_by_parts(variables, xs):
    return [of_evaluations_alone(variables, x) for x in xs]


def of_both(variables, x):
    return model.apply(variables, x, train=True)


def evaluate_both(variables, x):
    return of_both(variables, x)


def fit_both(variables, x):
    return of_both(variables, x)


def traced_in_evaluation(variables, x):
    return model.apply(variables, x, deterministic=False)  # ! eval-in-train-mode


@jax.jit
def eval_traced(variables, x):
    return traced_in_evaluation(variables, x)


class Net(nn.Module):
    @nn.compact
    def __call__(self, x, train: bool = True, scale: bool = True):
        x = nn.BatchNorm(use_running_average=not train)(x)
        return 2 * x if scale else x


class State(train_state.TrainState):
    batch_stats: dict


def create(tx, params, stats):
    net = Net()
    return State.create(apply_fn=net.apply, params=params, tx=tx, batch_stats=stats)


def eval_by_position(state: State, x):
    return state.apply_fn(state.params, x, True)  # ! eval-in-train-mode


def eval_right_by_position(state: State, x):
    return state.apply_fn(state.params, x, False, True)


def eval_by_default(state: State, x):
    y, _ = state.apply_fn(state.params, x, mutable=["batch_stats"])  # ! eval-in-train-mode
    return y


def eval_with_another_flag(state: State, x):
    return state.apply_fn(state.params, x, scale=True, train=False, rngs={})


def eval_unknown_by_position(state, x):
    return state.apply_fn(state.params, x, True)


def eval_model_by_position(variables, x):
    return Net().apply(variables, x, True)  # ! eval-in-train-mode


def eval_another_method(variables, x):
    return Net().apply(variables, x, True, method="encode")


def train_by_default(state: State, x):
    return state.apply_fn(state.params, x, mutable=["batch_stats"])


class Noisy(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.dropout = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x):
        return self.dropout(x)


class Switched(Noisy):
    pass


class Plain(nnx.Module):
    def __call__(self, x):
        return x


def fit_noisy(model: Noisy, x):
    model.train()
    return model(x)


def evaluate_noisy(model: Noisy, x):  # ! eval-in-train-mode
    return model(x)


def eval_called_by_evaluate(model: Noisy, x):
    return model(x)


def evaluate_by_another(
    model: Noisy,  # ! eval-in-train-mode
    xs,
):
    return [eval_called_by_evaluate(model, x) for x in xs]


def evaluate_view(model: Noisy, x):
    return nnx.view(model, deterministic=True)(x)


def evaluate_plain(model: Plain, x):
    return model(x)


def both_losses(params, x):
    return model.apply(params, x, train=True).mean()


@jax.jit
def validation_fn(params, x):
    return both_losses(params, x)


@jax.jit
def update_fn(params, x):
    return jax.grad(both_losses)(params, x)


def evaluate_either(params, x, sample):
    if sample:
        return model.apply(params, x, train=True)
    return model.apply(params, x, train=False)


class Workload:
    def model_fn(self, params, x):
        return model.apply(params, x, train=True)

    def evaluate(self, params, x):
        return self.model_fn(params, x)


def fit_workload(workload, params, x):
    return workload.model_fn(params, x)


def validate_gradients(params, x, key):
    def loss(p):
        return model.apply(p, x, train=True, rngs={"dropout": key}).mean()

    return jax.grad(loss)(params)


def validate_inside(params, x, key):
    def score(p):
        return model.apply(p, x, train=True, rngs={"dropout": key})  # ! eval-in-train-mode

    return score(params)


class Block(nnx.Module):
    def __init__(self, rngs):
        self.dense = nnx.Linear(4, 4, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x):
        return self.drop(self.dense(x))


class Stack(nnx.Module):
    def __init__(self, rngs):
        self.blocks = nnx.List([Block(rngs)])
        self.first = Block(rngs)

    def __call__(self, x):
        return self.first(x)


@nnx.jit
def scores(block, x):
    return block(x).mean()  # ! eval-in-train-mode


@nnx.jit
def scores_in_eval(block, x):
    return block(x).mean()


@nnx.jit
def scores_of_a_stack(stack, x):
    return stack(x).mean()


@nnx.jit
def scores_of_a_copy(block, x):
    return block(x).mean()


def loss_of_block(block, x):
    return block(x).mean()


@nnx.jit
def gradients(block, x):
    return nnx.grad(loss_of_block)(block, x)


def look(x):
    block = Block(nnx.Rngs(0))
    return scores(block, x)


def look_in_eval(x):
    block = Block(nnx.Rngs(0))
    block.eval()
    return scores_in_eval(block, x)


def look_at_a_stack(x):
    stack = Stack(nnx.Rngs(0))
    gradients(stack.first, x)
    stack.eval()
    return scores_of_a_stack(stack, x)


def switched_in_a_loop(xs):
    block = Block(nnx.Rngs(0))
    for x in xs:
        block.train()
        gradients(block, x)
        block.eval()
        print(scores_of_a_copy(block, x))


def ignores_its_flag(variables, x, train):
    return model.apply(variables, x, train=True)  # ! eval-in-train-mode


def scores_by_parts(loss, variables, batch):
    return loss(variables, *batch)


@jax.jit
def accuracy(variables, x):
    return scores_by_parts(ignores_its_flag, variables, (x, False))


def is_told_to_train(variables, x, train):
    return model.apply(variables, x, train=True)


def starts_by_shape(key, x, train):
    return model.init(key, x, train=True)


def reads_its_flag(variables, x, train):
    return model.apply(variables, x, train=True) if train else model.apply(variables, x)


@jax.jit
def trains(variables, key, x):
    started = starts_by_shape(key, x, False)
    return is_told_to_train(variables, x, True), reads_its_flag(variables, x, False), started


def drops_the_other_way_round(layer, x, train, key):
    x = layer(x, deterministic=train, key=key)  # ! eval-in-train-mode
    return layer(x, deterministic=not train, key=key)


@nnx.jit
def sampled(block, x):
    return block(x)


@nnx.jit
def scored_between_steps(block, x):
    return block(x)  # ! eval-in-train-mode


@nnx.jit
def scored_of_many(block, x):
    return block(x)  # ! eval-in-train-mode


def samples_of_one_input(x, count):
    block = Block(nnx.Rngs(0))
    return jnp.stack([sampled(block, x) for _ in range(count)]).std(0)


def mean_of_samples(x):
    block = Block(nnx.Rngs(0))
    total = 0.0
    for _ in range(20):
        total = total + sampled(block, x)
    return total / 20


def validates_each_epoch(x, train):
    block = Block(nnx.Rngs(0))
    for _ in range(20):
        train(block)
        print(scored_between_steps(block, x))


def validates_on_all(batches):
    block = Block(nnx.Rngs(0))
    return [scored_of_many(block, batch) for batch in batches]


class Attention(nn.Module):
    rate: float = 0.2

    @nn.compact
    def __call__(self, x, train):
        x = nn.Dropout(self.rate, deterministic=False)(x)  # ! eval-in-train-mode
        if train:
            x = nn.Dropout(self.rate, deterministic=False)(x)
        frozen = nn.BatchNorm(use_running_average=True)(x)
        mode = not train
        return frozen + nn.Dropout(self.rate)(x, deterministic=mode)


class Noise(nn.Module):
    """Always on, and nobody evaluates it."""

    @nn.compact
    def __call__(self, x, train):
        return nn.Dropout(0.1, deterministic=False)(x) * (2 if train else 1)


class Encoder(nn.Module):
    @nn.compact
    def __call__(self, x, train: bool):
        return nn.Dense(4)(Attention()(nn.LayerNorm()(x), train))


def loss_of_encoder(params, x, train, key):
    return Encoder().apply(params, x, train, rngs={"dropout": key}).mean()


@jax.jit
def step_of_encoder(params, x, key):
    noise = Noise().apply({}, x, train=True, rngs={"dropout": key})
    return jax.grad(loss_of_encoder)(params, x + noise, True, key)


@jax.jit
def score_of_encoder(params, x, key):
    return loss_of_encoder(params, x, False, key)


class Layer(nn.Module):
    @nn.compact
    def __call__(self, x, mask=None, deterministic: bool = True):
        return nn.Dropout(0.1)(nn.Dense(4)(x), deterministic=deterministic)


class Wrapper:
    def __init__(self, key, x):
        self.module = Layer()
        self.params = self.module.init(key, x)

    def __call__(self, x, params=None, key=None, train=False):
        rngs = {} if key is None else {"dropout": key}
        return self.module.apply(params or self.params, x, rngs=rngs)  # ! eval-in-train-mode

    def handed_on(self, x, key, train=False):
        return self.module.apply(self.params, x, deterministic=not train, rngs={"dropout": key})

    def by_position(self, x, key, train=False):
        return self.module.apply(self.params, x, None, not train, rngs={"dropout": key})

    def features(self, x, train=False):
        return self.module.apply(self.params, x)


def train_wrapper(key, x):
    wrapper = Wrapper(key, x)
    wrapper.features(x), wrapper.handed_on(x, key, True), wrapper.by_position(x, key, True)
    return jax.grad(lambda p: wrapper(x, params=p, key=key, train=True).mean())(wrapper.params)


class Inverted(nn.Module):
    @nn.compact
    def __call__(self, x, training=False):
        return nn.Dropout(0.1)(x, deterministic=~training)  # ! eval-in-train-mode


class Negated(nn.Module):
    @nn.compact
    def __call__(self, x, mask, training=False):
        return nn.Dropout(0.1)(jnp.where(~mask, x, 0), deterministic=not training)
