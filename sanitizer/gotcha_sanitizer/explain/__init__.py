"""What something that happened means, in words: pure functions over plain values."""
