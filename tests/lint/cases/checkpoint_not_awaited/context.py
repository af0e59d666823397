import orbax.checkpoint as ocp


def save(path, state):
    with ocp.StandardCheckpointer() as checkpointer:
        checkpointer.save(path, state)
