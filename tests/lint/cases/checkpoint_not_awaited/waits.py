import orbax.checkpoint as ocp


class Saver:
    def __init__(self, path):
        self.manager = ocp.CheckpointManager(path)

    def save(self, step, state):
        self.manager.save(step, args=ocp.args.StandardSave(state))

    def close(self):
        self.manager.close()
