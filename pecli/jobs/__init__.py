"""Jobs: a job is a picture or report to make. This package goes from requested options to finished files."""
