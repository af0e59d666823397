"""A classifier in Flax linen: TrainState, batch statistics, dropout, a linear schedule."""
