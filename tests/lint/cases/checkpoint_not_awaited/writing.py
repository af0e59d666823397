def write(checkpointer, path, tree):
    checkpointer.save(path, tree)  # ! checkpoint-not-awaited


def write_attribute(trainer, path):
    trainer.saver.save(path, trainer.weights)  # ! checkpoint-not-awaited


def write_by_who_knows(checkpointer, path, tree):
    checkpointer.save(path, tree)


def read(checkpointer, path):
    return checkpointer.restore(path)
