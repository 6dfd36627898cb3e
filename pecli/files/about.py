"""What a file says of itself besides what it shows."""

from __future__ import annotations

from typing import NamedTuple


class About(NamedTuple):
    """Text that goes into a finished file where its format has a place for it.

    job : the job as JSON in ASCII
    salt : a short name that no other job has, which begins the names inside an SVG file
    title : of the picture, one line
    sentence : what is seen, for who does not see it
    inline : an SVG without what stands before its first tag
    adaptive : an SVG whose ink follows the reader's light or dark mode
    """

    job: str
    salt: str
    title: str = ""
    sentence: str = ""
    inline: bool = False
    adaptive: bool = False
