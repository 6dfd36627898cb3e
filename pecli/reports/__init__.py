"""The one registry of reports. The `summary` of each is what the help says of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pecli.core.registry import Registry

if TYPE_CHECKING:
    from pecli.reports.report import Report

REPORTS: Registry[type[Report[Any]]] = Registry(
    {
        "table": "pecli.reports.table:Table",
        "stats": "pecli.reports.stats:Stats",
        "explain": "pecli.reports.explain.explain:Explain",
    }
)
