"""`pecli schema`: the JSON Schema of what --json prints."""

from __future__ import annotations

from json import dumps
from typing import Any

from pecli.cli.options import argument, run_options, with_options
from pecli.cli.show import Command
from pecli.core.errors import UnknownNameError
from pecli.core.json_schema import DRAFT, Schema
from pecli.core.terminal import print_results


def commands() -> dict[str, Command]:
    """Return the commands that have --json, by name, without the commands of plugins."""
    from pecli.cli.app import PANEL, command_of

    every = {name: command_of(name) for name in PANEL if name != "schema"}
    return {name: command for name, command in every.items() if command.answer is not None}


def schema_of(name: str) -> Schema | None:
    """Return the schema of a command's --json output, or None if it has none or there is no such command."""
    from pecli.cli.app import PANEL, command_of
    from pecli.figures import FIGURES

    known = name != "schema" and (name in PANEL or name in FIGURES)
    answer = command_of(name).answer if known else None
    return answer() if answer else None


def schema(command: str | None, **_: Any) -> None:
    """Print the JSON Schema of a command's --json output; without a command, list the commands that have --json."""
    from pecli.cli.app import ALIASES

    if command is None:
        print_results([*commands()])
        return
    name = ALIASES.get(command, (command, {}))[0]
    if (found := schema_of(name)) is None:
        raise UnknownNameError("command with --json:", command, commands())
    described = f"{found.pop('description', '')} gallery/reference.md explains the keys.".lstrip()
    about = {"$schema": DRAFT, "title": f"pecli {name} --json", "description": described}
    print_results([dumps({**about, **found}, ensure_ascii=False, indent=2)])


COMMAND = Command(
    with_options(
        schema,
        run_options("show", "jobs", "json"),
        argument("command", "the command", offers=lambda: [*commands()]),
    ),
    ("pecli schema", "pecli schema model > model.schema.json"),
    notes=("pecli batch --schema prints the schema of the TOML files that pecli batch reads.",),
)
