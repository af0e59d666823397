"""Faults planted into training programs, to count how many the linter finds.

`hosts/` are programs without a gotcha; `mutators/` has a file for each rule, which puts its fault
into them; `variants/` write a planted program in other ways that mean the same.
"""
