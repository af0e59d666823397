import orbax.checkpoint as ocp


def in_loop(path, states):
    manager = ocp.CheckpointManager(path)
    for step, state in enumerate(states):
        if step % 10 == 0:
            manager.save(step, args=ocp.args.StandardSave(state))  # ! checkpoint-not-awaited


def handed_on(path, state):
    manager = ocp.CheckpointManager(path)
    manager.save(0, args=ocp.args.StandardSave(state))
    return manager


def given(manager, state):
    manager.save(0, args=ocp.args.StandardSave(state))


class Saver:
    def __init__(self, path):
        self.path = path
        self.writer = ocp.StandardCheckpointer()

    def save(self, state):
        self.writer.save(self.path, state)  # ! checkpoint-not-awaited


class Other:
    def save(self, state):
        self.file.save(state)


def read_back(path, state):
    writer = ocp.StandardCheckpointer()
    writer.save(path, state)
    return writer.restore(path)


def part(checkpointer, path, state):
    checkpointer.save(path, state)  # ! checkpoint-not-awaited


def by_a_helper(path, state):
    checkpointer = ocp.StandardCheckpointer()
    part(checkpointer, path, state)
