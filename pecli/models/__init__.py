"""Models: what the config.json of a model does to positions."""
