"""The languages: every text of pictures and reports by its key."""

VERSIONS = {"v4": "4.57", "v5": "5.24"}  # of transformers, in which findings were looked up
