"""Page layout: the style, placement and measuring of panels, colour bars and texts. It imports no figure."""
