import flax.linen as nn
from flax import nnx


def quotient(config):
    return nn.MultiHeadDotProductAttention(  # ! qkv-features-per-head
        num_heads=config.heads, qkv_features=config.width // config.heads
    )


def over_statements(width, heads):
    each = width // heads
    return nn.SelfAttention(num_heads=heads, qkv_features=each)  # ! qkv-features-per-head


def cast(width, heads):
    return nn.MultiHeadAttention(heads, qkv_features=int(width / heads))  # ! qkv-features-per-head


def by_name(self):
    return nn.MultiHeadDotProductAttention(  # ! qkv-features-per-head
        num_heads=self.n_heads, qkv_features=self.head_dim, out_features=self.width
    )


def of_nnx(width, heads, head_size, rngs):
    a = nnx.MultiHeadAttention(heads, width, head_size, rngs=rngs)  # ! qkv-features-per-head
    b = nnx.MultiHeadAttention(heads, width, width, rngs=rngs)
    c = nnx.MultiHeadAttention(heads, width, head_size * heads, rngs=rngs)
    return a, b, c


def whole(width, heads, parts):
    a = nn.SelfAttention(num_heads=heads, qkv_features=width)
    b = nn.SelfAttention(num_heads=heads, qkv_features=width // 2)
    c = nn.SelfAttention(num_heads=heads, qkv_features=width // parts)
    d = nn.SelfAttention(num_heads=heads)
    return a, b, c, d


def of_all_heads(head_dim, heads, heads_dim):
    width = head_dim * heads
    a = nn.SelfAttention(num_heads=heads, qkv_features=width)
    b = nn.SelfAttention(num_heads=heads, qkv_features=heads_dim)
    return a, b


def one_head(head_dim):
    return nn.SelfAttention(num_heads=1, qkv_features=head_dim)


def own(Attention, head_dim):
    return Attention(num_heads=4, qkv_features=head_dim)


def without(width, heads):
    return nn.SelfAttention(num_heads=heads), nn.SelfAttention(heads, out_features=width // heads)


def of_unknown(options):
    return nn.SelfAttention(**options), nn.SelfAttention(num_heads=4, qkv_features=options.width)
