import argparse

import jax
import jax.numpy as jnp


class config:
    rate = 0.1
    width = 8

    @property
    def size(self):
        return self.width


class Base:
    depth = 2


class Deep(Base):
    width = 8


class Counted:
    pass


Counted.number = 3


def of_classes():
    return config.rate, config.size, config.widht, Deep.depth, Counted.number  # ! cannot-run


def of_types():
    return config.mro(), config.__name__, Deep.wdith  # ! cannot-run


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("data")
    parser.add_argument("-s", "--batch-size", type=int, default=32)
    parser.add_argument("-n", type=int)
    parser.add_argument("--lr", dest="rate", type=float)
    group = parser.add_argument_group("model")
    group.add_argument("--width", type=int)
    parser.set_defaults(decay=0.1)
    args = parser.parse_args()
    print(args.data, args.batch_size, args.n, args.rate, args.width, args.decay)
    args.total = args.batch_size * 2
    print(args.total)
    return args.batchsize  # ! cannot-run


def train(args):
    return jnp.ones(args.width) * args.momentum  # ! cannot-run


def handed(parser):
    parser.add_argument("--width", type=int)
    args = parser.parse_args()
    return args.unknown


def filled_elsewhere(fill):
    parser = argparse.ArgumentParser()
    fill(parser)
    args = parser.parse_args()
    return args.unknown


def of_a_list(names):
    parser = argparse.ArgumentParser()
    for name in names:
        parser.add_argument(name)
    args = parser.parse_args()
    return args.unknown


def of_parents(common):
    parser = argparse.ArgumentParser(parents=[common])
    args = parser.parse_args()
    return args.unknown


def attempted():
    parser = argparse.ArgumentParser()
    parser.add_argument("--width", type=int)
    args = parser.parse_args()
    try:
        return args.height
    except AttributeError:
        return args.width


def asked():
    parser = argparse.ArgumentParser()
    args = parser.parse_args()
    return args.color if hasattr(args, "color") else None


if __name__ == "__main__":
    main_parser = argparse.ArgumentParser()
    main_parser.add_argument("--width", type=int, default=4)
    options = main_parser.parse_args()
    jax.jit(train, static_argnums=0)
    train(options)
