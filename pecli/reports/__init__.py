"""The one registry of reports."""

from __future__ import annotations

from pecli.reports.report import Report

REPORTS: dict[str, type[Report]] = {}
