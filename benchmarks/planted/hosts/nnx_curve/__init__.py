"""A regression in Flax NNX, by functions: nnx.jit, nnx.Optimizer, dropout, batch statistics."""
