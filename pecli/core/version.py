"""The version of pecli, alone so that it costs nothing to ask."""

__version__ = "0.1.0"
DISTRIBUTION = "position-encoding-cli"  # what is installed; on the public package index pecli is another program
