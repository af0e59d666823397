"""Beside the training itself: baselines, plots, exports, and a data set of frames and actions."""
