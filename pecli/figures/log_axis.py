"""The option of a logarithmic axis of positions, the same in every figure that has one."""

from __future__ import annotations

from typing import Any

from pecli.core.errors import UsageError
from pecli.core.language import listing, phrase
from pecli.core.options import option
from pecli.core.positions import Positions
from pecli.encodings.base import TableEncoding

NEAR = 1.1  # times the first position: what ends before cannot be told from it on such an axis


def log_option() -> Any:
    """The option, as a field of a figure."""
    return option(False, "logarithmic axis of positions, from 1, for many decades at once")


def log_label(encoding: TableEncoding) -> str:
    """What stands at such an axis, whose ticks are plain numbers: the unit too."""
    return listing(map(phrase, filter(None, [encoding.position_label, encoding.position_unit])))


def check_log(positions: Positions) -> None:
    """Refuses positions that such an axis cannot show."""
    if positions.start < 0 or positions.stop < 3:
        text = "--log runs from position 1 on"
        raise UsageError(text, option="log", allowed="a --start of 0 or more and 3 positions")
    if positions.stop - 1 < NEAR * positions.start:
        text = f"--log is for decades: {positions.start:,} to {positions.stop - 1:,} are in one place there"
        raise UsageError(text, option="log", advice="leave --log out")
