"""A fit over two devices: a mesh, shard_map, an average of the weights, Orbax."""
