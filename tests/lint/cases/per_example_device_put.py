"""Examples that go to the device one by one, and batches that go at once."""

import jax
import jax.numpy as jnp
import numpy as np


def stacked(paths):
    return jnp.stack([jnp.asarray(np.load(path)) for path in paths])  # ! per-example-device-put


def appended(paths):
    rows = []
    for path in paths:
        row = np.load(path)
        rows.append(jax.device_put(row))  # ! per-example-device-put
    return jnp.concatenate(rows)


def under_a_name(paths):
    rows = [jnp.array(np.load(path)) for path in paths]  # ! per-example-device-put
    return jnp.stack(rows)


def where_files_are_read(examples):
    print(len(examples))
    images = [jnp.asarray(example["image"]) for example in examples]  # ! per-example-device-put
    return jnp.stack(images, axis=0)


def at_once(paths):
    return jnp.asarray(np.stack([np.load(path) for path in paths]))


def arrays_already(xs):
    ys = [jnp.exp(x) for x in xs]
    return jnp.stack([jnp.asarray(y) for y in ys])


def not_known(xs):
    return jnp.stack([jnp.asarray(x) for x in xs])


def a_few(path):
    return jnp.stack([jnp.asarray(np.load(path)) for path in (path, path)])


@jax.jit
def traced(x):
    return jnp.stack([jnp.asarray(i) for i in range(8)]) + x


def kept_as_a_list(paths):
    return [jnp.asarray(np.load(path)) for path in paths]


def the_same_for_all(path, n):
    table = np.load(path)
    return jnp.stack([jnp.asarray(table) for _ in range(n)])


def batch_by_batch(paths):
    totals = []
    for path in paths:
        batch = jnp.asarray(np.load(path))
        totals.append(jnp.sum(batch))
    return jnp.stack(totals)


def joined_at_each_turn(paths):
    rows = []
    for path in paths:
        rows.append(jnp.asarray(np.load(path)))
        print(jnp.stack(rows))
    return rows


def collate_ids(batch):
    return jnp.stack([jnp.array(b["ids"], dtype=jnp.int32) for b in batch])  # ! per-example-device-put


def collate_masks(batch):
    masks = [jnp.array(b.mask).astype(bool) for b in batch]  # ! per-example-device-put
    return jnp.stack(masks)


def padded(paths):
    rows = []
    for path in paths:
        row = jnp.asarray(np.load(path))  # ! per-example-device-put
        rows.append(jnp.pad(row, (0, 4)))
    return jnp.stack(rows)


def stacked_from_the_host(paths):
    rows = [np.load(path) for path in paths]
    return jnp.stack(rows)  # ! per-example-device-put


def grown(paths):
    rows = []
    for path in paths:
        rows.append(np.load(path))
    return jnp.concatenate(rows, axis=0)  # ! per-example-device-put


def numpy_joins_a_list_by_itself(paths):
    """`jnp.asarray` joins on the host, and transfers once."""
    return jnp.asarray([np.load(path) for path in paths])


def a_few_parts(path):
    return jnp.concatenate([np.load(path), np.zeros(3)])


def collate_at_once(batch):
    return jnp.asarray(np.stack([b["ids"] for b in batch]))


def numbers(paths):
    sizes = [len(path) for path in paths]
    return jnp.stack(sizes)


def of_both_kinds(paths, x):
    rows = [x]
    for path in paths:
        rows.append(np.load(path))
    return jnp.stack(rows)


def collate_columns(batch):
    """What the examples hold is not known: a may, as `--all` shows."""
    images, labels = zip(*batch)
    return jnp.stack(images), jnp.array(labels)
