"""The version of pecli, alone so that it costs nothing to ask."""

__version__ = "0.1.0"
