import jax


def callback(run):
    summary = None

    def on_end(result):
        summary = result  # ! missing-nonlocal

    run(on_end)
    if summary is not None:
        print(summary)


def in_a_branch(loop, weights):
    best, score = weights, 0.0

    def look(new, value):
        if value > 0.5:
            best = new  # ! missing-nonlocal

    loop(look)
    return best


def with_nonlocal(run):
    summary = None

    def on_end(result):
        nonlocal summary
        summary = result

    run(on_end)
    return summary


def read_inside(run):
    total = 0

    def on_end(result):
        total = 2 * result
        return total

    return run(on_end), total


def of_a_pair(run):
    loss = 0.0

    def on_end(result):
        loss, grads = result
        return grads

    return run(on_end), loss


def written_again(run):
    loss = 0.0

    def on_end(result):
        loss = result

    loss = run(on_end)
    return loss


def of_a_loop(run):
    i = 0

    def on_end(results):
        for i in results:
            pass

    run(on_end)
    return i


def before(run):
    loss = jax.numpy.zeros(())
    print(loss)

    def on_end(result):
        loss = result

    return run(on_end)
