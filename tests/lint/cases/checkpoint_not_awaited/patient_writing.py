def write(checkpointer, path, tree):
    checkpointer.save(path, tree)


def write_all(manager, trees):
    for step, tree in enumerate(trees):
        manager.save(step, tree)
