"""What everybody may use and that knows nobody."""
