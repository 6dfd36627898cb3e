"""`pecli skill`: the instructions for AI agents and scripts that run pecli."""

from __future__ import annotations

from pathlib import Path

from pecli.cli.options import with_options
from pecli.cli.show import Command
from pecli.core.terminal import print_results

TEXT = Path(__file__).with_name("skill.md")  # .agents/skills/pecli/SKILL.md of the repository is a copy


def skill() -> None:
    """Print the skill file."""
    print_results([TEXT.read_text(encoding="utf-8").rstrip("\n")])


COMMAND = Command(
    with_options(skill, []),
    ("pecli skill", "pecli skill > .agents/skills/pecli/SKILL.md"),
    notes=("The text is in English; it has the YAML front matter that agents look for.",),
)
