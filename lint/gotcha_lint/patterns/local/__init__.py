"""What the text of one function shows alone, whoever calls it (floor `patterns`)."""
