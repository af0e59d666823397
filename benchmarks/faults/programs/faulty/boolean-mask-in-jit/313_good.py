from functools import partial

import jax
import jax.numpy as jnp
import numpy as np


class KMeans:
    def __init__(self, n_clusters, max_iter=10, seed=0):
        self.n_clusters = n_clusters
        self.max_iter = max_iter
        self.seed = seed

    def init_centroids(self, X):
        idx = jax.random.choice(
            jax.random.key(self.seed), X.shape[0], (self.n_clusters,), replace=False
        )
        return X[idx]

    def assign(self, X, centroids):
        d2 = jnp.sum((X[:, None, :] - centroids[None, :, :]) ** 2, axis=-1)
        return jnp.argmin(d2, axis=1)

    def update(self, X, labels, centroids):
        for j in range(self.n_clusters):
            member = (labels == j)[:, None]
            total = jnp.sum(jnp.where(member, X, 0.0), axis=0)
            count = jnp.maximum(member.sum(), 1)
            centroids = centroids.at[j].set(total / count)
        return centroids

    def fit(self, X):
        def body(_, centroids):
            labels = self.assign(X, centroids)
            return self.update(X, labels, centroids)

        centroids = jax.lax.fori_loop(0, self.max_iter, body, self.init_centroids(X))
        return centroids, self.assign(X, centroids)


def make_blobs(n=60, seed=1):
    rng = np.random.default_rng(seed)
    centers = np.array([[0.0, 0.0], [4.0, 4.0], [-4.0, 3.0]])
    return jnp.asarray(np.concatenate([c + rng.normal(size=(n // 3, 2)) for c in centers]))


def main():
    X = make_blobs()
    fit = jax.jit(KMeans(3).fit)
    centroids, labels = fit(X)
    print(np.round(np.asarray(centroids), 2), np.bincount(np.asarray(labels)))


if __name__ == "__main__":
    main()
