"""`super` with one argument is bound to no object."""

import flax.linen as nn


class Base(nn.Module):
    def setup(self):
        self.dense = nn.Dense(4)


class Wide(Base):
    def setup(self):
        super(Wide).setup()  # ! cannot-run
        self.wide = nn.Dense(8)

    def __call__(self, x):
        return self.wide(self.dense(x))


class Deep(Base):
    def setup(self):
        super(Deep, self).setup()
        self.deep = nn.Dense(8)

    def __call__(self, x):
        return self.deep(self.dense(x))


class Short(Base):
    def setup(self):
        super().setup()
        self.short = nn.Dense(8)

    def __call__(self, x):
        return self.short(self.dense(x))
