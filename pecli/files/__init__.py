"""Files: the only writer, what each format can hold, and tables of numbers that are read."""
