"""A language model in plain JAX: a class, a scan over layers, buckets, donation, sampling."""
