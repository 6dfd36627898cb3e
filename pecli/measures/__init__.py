"""Numbers about tables: rows compared, pairs counted, lines and blocks reduced to what a pixel holds."""
