"""The registry of reports, with the module and summary of each, so that reports can be listed without imports."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pecli.core.lazy import Registry

if TYPE_CHECKING:
    from pecli.reports.base import Report

REPORTS: Registry[type[Report[Any]]] = Registry(
    {
        "table": ("pecli.reports.table:Table", "The numbers of an encoding, in the terminal or as a file"),
        "stats": ("pecli.reports.stats:Stats", "Encodings in numbers, side by side"),
        "explain": (
            "pecli.reports.explain:Explain",
            "One small example step by step: frequencies, formulas, numbers, word vectors",
        ),
    }
)
