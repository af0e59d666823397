from flax import linen as nn, nnx


class Classifier(nn.Module):
    @nn.compact
    def __call__(self, x, training: bool = True):
        return nn.Dropout(0.1, deterministic=not training)(x)


class Regressor(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.dropout = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x):
        return self.dropout(x)
