"""What a program asks of the sanitizer by a call."""
