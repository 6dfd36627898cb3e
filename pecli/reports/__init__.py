"""The one registry of reports."""

from __future__ import annotations

from pecli.reports.report import Report
from pecli.reports.stats import Stats
from pecli.reports.table import Table

REPORTS: dict[str, type[Report]] = {
    Table.name: Table,
    Stats.name: Stats,
}
