"""Names in annotations, which Python evaluates as it makes the function (before 3.14)."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp

if TYPE_CHECKING:
    from collections.abc import Iterator

Rows = jax.Array


def split(x: jnp.ndarray) -> Tuple[jnp.ndarray, int]:  # ! cannot-run
    return x, len(x)


def of_each(*rows: Sequence[int], **options: dict[str, Any]) -> Rows:  # ! cannot-run
    return jnp.stack([jnp.asarray(row) for row in rows])


@dataclass
class State:
    params: Any
    opt_state: OptState  # ! cannot-run

    def merged(self, other: State) -> Rows:  # ! cannot-run
        return self.params + other.params

    def quoted(self, other: "State") -> "Missing":
        return other

    def of_later(self, batch: Batch):  # ! cannot-run
        return batch.x


@dataclass
class Batch:
    x: jax.Array
    state: State

    Kind = int

    def kind(self, kind: Kind) -> Kind:
        return kind


limit: Optional[int] = None  # ! cannot-run


def inside(x):
    rows: NeverEvaluated = x
    return rows


def of_a_type_checker(rows: "Iterator[int]", key: jax.Array, size: int = 3) -> list[Batch]:
    return [Batch(row, key) for row in rows]


def local():
    class Inner:
        pass

    def make(x: Inner) -> Inner:
        return x

    return make
