"""The encodings: rules that map positions, or offsets, to vectors or numbers."""
