"""Names of functions that NumPy and `jax.numpy` share, by what they do to types."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# integers become floating
INEXACT = _words("""
    exp exp2 log log1p log2 log10 expm1 tanh sinh cosh sin cos tan arctan arcsin arccos
    arcsinh arccosh arctanh asin acos atan asinh acosh atanh
    sqrt cbrt rsqrt sigmoid softplus gelu silu swish log_softmax softmax log_sigmoid
    erf elu selu celu leaky_relu logit soft_sign hard_tanh mish sinc deg2rad rad2deg
    standardize hard_sigmoid logaddexp float_power hypot arctan2
""")

# the type is that of the operands
SAME = _words("""
    abs absolute square negative positive sign relu relu6 maximum minimum add subtract
    multiply power mod remainder fmod floor ceil trunc rint fix round around nan_to_num flip
    fliplr flipud roll sort fmax fmin real imag fftshift ifftshift tril triu conj invert
    bitwise_and bitwise_or bitwise_xor bitwise_not left_shift right_shift floor_divide rot180
    copysign squareplus heaviside
""")

# the result is bool
COMPARISONS = _words("""
    equal not_equal greater less greater_equal less_equal logical_and logical_or logical_not
    logical_xor isnan isfinite isinf isclose signbit isin
""")

# the second argument is no operand
ONE_ARRAY = _words("flip fliplr flipud roll sort round around nan_to_num tril triu")

# of `SAME`, those whose result is real
PARTS = _words("abs absolute real imag")

# of `INEXACT`, those with two operands
TWO = _words("logaddexp float_power hypot arctan2")
