"""The command line, built with Typer: options become jobs, and reports are printed."""
