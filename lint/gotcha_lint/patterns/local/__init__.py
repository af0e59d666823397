"""What the text of one function shows alone, whatever calls it (floor `patterns`)."""
