from states import Moments, Wide


def bad(x):
    if isinstance(x, (tuple, list)):
        return [bad(v) for v in x]
    elif isinstance(x, Wide):  # ! general-type-first
        return x.mu


def good(x):
    if isinstance(x, Wide):
        return x.mu
    elif isinstance(x, Moments):
        return x.mu
    elif isinstance(x, (tuple, list)):
        return [good(v) for v in x]
