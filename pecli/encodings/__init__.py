"""Rules that map positions to vectors."""
