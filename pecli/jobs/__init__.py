"""Jobs: from requested options to finished files."""
