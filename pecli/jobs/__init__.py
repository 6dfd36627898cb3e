"""From what was asked to what was made."""
