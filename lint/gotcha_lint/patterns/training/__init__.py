"""Patterns of models, layers, optimizers and the steps that train them."""
