"""From what rules report to findings: places, allow comments, baselines, fixes."""
