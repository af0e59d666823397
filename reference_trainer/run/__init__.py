"""What surrounds a run: its machine and processes, its folder and files, what is printed."""
