"""Files: the writer of all files, the formats and what each can hold, and the reader of tables."""
