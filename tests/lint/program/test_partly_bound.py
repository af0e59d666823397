"""Names that one branch alone binds, and the reads that both ways lead to."""

from __future__ import annotations

import textwrap

import pytest

from gotcha_lint.program.data_flow import instructions
from gotcha_lint.program.partly_bound import partly_bound
from tests.lint.program.support import lowered


def reads(body: str) -> list[tuple[str, bool]]:
    """The names that are read unbound in a function with this body, and whether it is certain."""
    module = lowered("def f(args, x, batches):\n" + textwrap.indent(textwrap.dedent(body), "    "))
    function = next(each for each in module.functions if each.name == "f")
    flat = list(instructions(function.body))
    return [(found.name, found.certain) for found in partly_bound(function, flat)]


@pytest.mark.parametrize(
    "body",
    [
        """
        if args.flag:
            tx = 1
        return tx
        """,
        """
        if not args.flag:
            tx = 1
        for batch in batches:
            if args.other:
                print(tx)
        """,
        """
        if args.flag:
            if args.kind == "a":
                tx = 1
            else:
                tx = 2
        return tx
        """,
        """
        if args.kind == "a":
            width, other = 1, 2
        else:
            widths = 1
        if args.more:
            tx = width
            return tx
        """,
        """
        for batch in batches:
            if args.flag:
                tx = batch
            print(tx)
        """,
    ],
)
def test_a_flag_or_a_branch_with_another_name(body: str) -> None:
    found = reads(body)
    assert len(found) == 1
    assert found[0][0] in ("tx", "width")
    assert found[0][1]


def test_a_flag_that_is_set_here_may_always_be_the_same() -> None:
    body = """
    x = False
    if not x:
        tx = 1
    return tx
    """
    assert reads(body) == [("tx", False)]


def test_options_that_are_asked_one_by_one_may_be_all_that_there_are() -> None:
    body = """
    if args.kind == "a":
        tx = 1
    elif args.kind == "b":
        tx = 2
    return tx
    """
    assert reads(body) == []
    assert reads(body.replace("elif", "if")) == []
    one = """
    if args.kind == "a":
        tx = 1
    return tx
    """
    assert reads(one) == [("tx", False)]


@pytest.mark.parametrize(
    "body",
    [
        """
        if args.flag:
            tx = 1
        if args.flag:
            print(tx)
        """,
        """
        if args.flag:
            tx, more = 1, 2
            ready = True
        else:
            ready = False
        if ready:
            print(tx)
        """,
        """
        wanted = args.flag
        if wanted:
            tx = 1
        if args.flag and x:
            print(tx)
        """,
        """
        if args.flag:
            tx = 1
        if not args.flag:
            return None
        return tx
        """,
        """
        if args.flag:
            tx = 1
        else:
            raise ValueError
        return tx
        """,
        """
        if args.flag:
            tx = 1
        else:
            parser.error("no")
        return tx
        """,
        """
        if args.flag:
            tx = 1
        assert args.flag
        return tx
        """,
        """
        tx = None
        if args.flag:
            tx = 1
        return tx
        """,
        """
        if args.flag:
            tx = 1
        try:
            return tx
        except NameError:
            return 2
        """,
        """
        for batch in batches:
            if batch.first:
                tx = batch
            print(tx)
        """,
        """
        step = 0
        while x:
            if step == 0:
                tx = 1
            print(tx)
            step += 1
        """,
        """
        if args.flag:
            for batch in batches:
                tx = batch
        try:
            tx = 1
        except ValueError:
            pass
        return tx
        """,
        """
        if args.flag:
            def tx():
                return 1
        return [tx for tx in batches]
        """,
        """
        if args.flag or x:
            tx = 1
        if x:
            print(tx)
        """,
        """
        if args.flag is not None and args.flag:
            tx = 1
        return tx if args.flag else None
        """,
    ],
)
def test_the_other_way_does_not_lead_there(body: str) -> None:
    assert reads(body) == []


def after_errors(body: str) -> list[str]:
    """The names that are read though a handler may have gone on without them."""
    module = lowered("def f(args, x, batches):\n" + textwrap.indent(textwrap.dedent(body), "    "))
    function = next(each for each in module.functions if each.name == "f")
    flat = list(instructions(function.body))
    return [found.name for found in partly_bound(function, flat) if found.swallowed]


@pytest.mark.parametrize(
    "body",
    [
        """
        try:
            state = restore(args.path)
        except FileNotFoundError as error:
            print(error)
        return merge(x, state)
        """,
        """
        with open(args.path) as file:
            try:
                state = load(file)
            except ValueError:
                print("no such file")
        if args.more:
            print(state.step)
        """,
        """
        try:
            raw = read(args.path)
        except OSError:
            pass
        else:
            state = parse(raw)
        return state
        """,
    ],
)
def test_read_after_a_handler_that_goes_on(body: str) -> None:
    assert after_errors(body) == ["state"]


@pytest.mark.parametrize(
    "body",
    [
        """
        try:
            state = restore(args.path)
        except FileNotFoundError:
            raise SystemExit
        return state
        """,
        """
        try:
            state = restore(args.path)
        except FileNotFoundError as error:
            if args.strict:
                raise
            print(error)
        return state
        """,
        """
        try:
            state = restore(args.path)
        except FileNotFoundError:
            sys.exit(1)
        return state
        """,
        """
        try:
            state = restore(args.path)
        except FileNotFoundError:
            state = None
        return state
        """,
        """
        state = None
        try:
            state = restore(args.path)
        except FileNotFoundError:
            pass
        return state
        """,
        """
        try:
            state = restore(args.path)
            found = True
        except FileNotFoundError:
            found = False
        if found:
            return state
        """,
        """
        try:
            state = restore(args.path)
        except FileNotFoundError:
            x.failed = True
        if not x.failed:
            return state
        """,
        """
        try:
            state = 1
            restore(args.path)
        except FileNotFoundError:
            pass
        return state
        """,
        """
        while True:
            try:
                state = restore(args.path)
                break
            except FileNotFoundError:
                print("again")
        return state
        """,
        """
        try:
            state = restore(args.path)
        except FileNotFoundError:
            pass
        if "state" in locals():
            return state
        """,
        """
        try:
            import wandb as state
        except ImportError:
            print("no wandb")
        return state
        """,
    ],
)
def test_no_read_after_a_handler_that_goes_on(body: str) -> None:
    assert after_errors(body) == []
