"""Documents and episodes, and how they become batches of a few fixed shapes."""
