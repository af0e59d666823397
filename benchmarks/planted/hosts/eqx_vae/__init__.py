"""A variational autoencoder in Equinox: filter_jit, partition, keys carried along."""
