"""Text of Python files: read, decoded, checked, parsed; comments, lines, notebooks."""
