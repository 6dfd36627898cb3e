"""The languages: every text of pictures and reports by its key."""
