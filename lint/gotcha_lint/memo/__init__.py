"""What a run keeps on disk for the next: results per file and what they depend on."""
