"""The page: where panels, bars and texts stand, and how that is measured and drawn. Knows no figure."""
