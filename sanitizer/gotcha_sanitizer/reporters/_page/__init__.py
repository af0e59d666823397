"""The parts of the HTML page: each function gives one section, as markup that is safe to join."""
