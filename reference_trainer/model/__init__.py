"""The layers, and the model that is made of them: nnx modules around pure functions."""
