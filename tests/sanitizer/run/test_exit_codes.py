"""The option `exitcode`: for a program that ends with 0, and never in place of its own code."""

from __future__ import annotations

import sys

import pytest

from tests.sanitizer.processes import HEAD

pytest.importorskip("jax")

ENDS = [
    ("storm()", 66),
    ("step(1.0)", 0),
    ("storm(); sys.exit(3)", 3),
    ("storm(); sys.exit('no')", 1),
    ("storm(); sys.exit()", 66),
    ("storm(); exit(3)", 3),
    ("storm(); raise SystemExit", 66),
    ("storm(); raise SystemExit(3)", 3),
    ("storm(); raise ValueError", 1),
    ("sys.excepthook = lambda *_: None; storm(); raise ValueError", 1),
    ("storm(); os._exit(4)", 4),
    ("storm(); import gotcha_sanitizer; gotcha_sanitizer.stop(); sys.exit(3)", 3),
]


@pytest.mark.parametrize(("body", "code"), ENDS)
def test_exitcode(go, body, code):
    assert go(body, "exitcode=66").code == code


ODD = """
        class Odd:
            def __eq__(self, other):
                raise RuntimeError("compared")
            __ne__ = __bool__ = __eq__
            __hash__ = None
            def __str__(self):
                return "odd"
        storm()
        """


@pytest.mark.parametrize(
    ("leave", "code"),
    [
        ("sys.exit(Odd())", 1),
        ("raise SystemExit(Odd())", 1),
        ("sys.exit(jnp.arange(3))", 1),
        ("sys.exit(0.0)", 1),
        ("sys.exit(False)", 66),
    ],
)
def test_an_object_as_code_is_the_programs_own(go, leave, code):
    """Python prints what is no whole number and ends with 1; of the object we run nothing."""
    done = go(ODD + leave, "exitcode=66")
    assert done.code == code
    assert "Traceback" not in done.err


def test_what_python_itself_reads_at_the_end(go):
    """It prints an array where no frame of Python is left: a hook has no caller to look at."""
    done = go("sys.exit(jnp.arange(3))")
    assert done.code == 1
    assert "[0 1 2]" in done.err
    assert "Exception ignored" not in done.err


def test_exitcode_of_a_program_that_catches_an_exit_and_raises_another(go):
    """Where we have started it, its code is known on each Python."""
    body = """
        def main():
            try:
                sys.exit(3)
            except SystemExit:
                storm()
        raise SystemExit(main())
        """
    assert go(body, "exitcode=66", args=["-m", "gotcha_sanitizer", "prog.py"]).code == 66


def test_exitcode_of_a_program_whose_code_may_not_be_seen(go):
    done = go("raise SystemExit(storm())", "exitcode=66")
    unseen = sys.version_info < (3, 12)
    assert done.code == (0 if unseen else 66)
    assert ("exitcode: prog.py:9 may have ended the program" in done.err) == unseen


@pytest.mark.monitoring
def test_exitcode_where_other_tools_hold_all_places(go):
    """Then it is done as on Python 3.11: a code of the program is never changed."""
    body = """
        import gotcha_sanitizer
        gotcha_sanitizer.stop()
        for n in range(6):
            sys.monitoring.use_tool_id(n, "other")
        gotcha_sanitizer.start("exitcode=66")
        storm()
        """
    assert go(body + "\n        raise SystemExit(3)").code == 3
    assert go(body + "\n        sys.exit(0)").code == 66


def test_exitcode_is_for_the_findings_of_fail_on_and_comes_after_the_programs_own_end(go):
    body = "import atexit\natexit.register(print, 'bye')\nstorm()\nprint('done')\n"
    early = "import atexit; atexit.register(print, 'early')\n" + HEAD
    done = go(body, "exitcode=66", head=early)
    assert (done.code, done.out) == (66, "done\nbye\nearly\n")
    assert go(body, "exitcode=66:fail_on=stale-capture").code == 0
    assert go(body, "exitcode=66:fail_on=recompile/new-function").code == 66
    assert go(body).code == 0


FAULT = """
        import gotcha_sanitizer.{module} as broken
        def fail(*args, **kwargs):
            raise ZeroDivisionError("planted")
        broken.{name} = fail
        storm()
        """


@pytest.mark.parametrize(
    ("fault", "leave", "code", "told"),
    [
        ("run.leaving _is_failure", "sys.exit(3)", 3, True),
        ("run.leaving _is_failure", "sys.exit()", 0, True),
        ("run.leaving _is_failure", "", 66, False),  # it is not asked
        ("run.outcome failing", "sys.exit(3)", 3, False),
        ("run.outcome failing", "sys.exit()", 0, True),
        ("run.outcome failing", "", 0, True),
    ],
)
def test_a_fault_in_what_looks_at_the_end(go, fault, leave, code, told):
    module, name = fault.split()
    done = go(FAULT.format(module=module, name=name) + leave, "exitcode=66")
    assert done.code == code
    assert ("degraded: exit code: ZeroDivisionError: planted" in done.err) == told
    assert "Traceback" not in done.err
