"""Shared basics: options, errors, language, positions, progress, terminal, memory."""
