"""config.json files of released models, read as encodings."""
