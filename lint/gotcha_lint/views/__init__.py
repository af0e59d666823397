"""Questions other than "what is wrong?": `--why`, `--compiles`, `--coverage`, `--with-run`."""
