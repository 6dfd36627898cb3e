"""Page layout: the style, placement and measuring of panels, colour bars and texts. Knows no figure."""
