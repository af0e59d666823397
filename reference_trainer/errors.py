"""The base of all errors that a user can put right: shown as one line, without a traceback."""

from __future__ import annotations


class UserError(Exception):
    """Says what is wrong, where, and what to do; `code` is the process's exit status."""

    code = 2
