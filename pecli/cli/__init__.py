"""The command line: Typer only, options in, a Job out."""
