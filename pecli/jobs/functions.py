"""Python functions for all figures and reports, such as ``pecli.heatmap(base=10)``, made from the options of each.

``python -m pecli.jobs.functions`` prints `pecli/jobs/figure_functions.pyi`, their types for editors and type checkers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from inspect import Parameter, Signature, get_annotations
from typing import Any

from pecli.analysis import Analysis
from pecli.core.options import Option, default_of
from pecli.encodings.registry import encoding_named
from pecli.jobs.job import SINGLE
from pecli.jobs.job_options import ANALYSES, EncodingOption, encoding_parameters, known_options
from pecli.jobs.picture import Picture
from pecli.jobs.sweep import job_of
from pecli.jobs.text import python_call

LISTED = 20  # a choice of at most this many words becomes a Literal
HEAD = '''\
"""The functions of all figures and reports, made of their options; python -m pecli.jobs.functions prints this."""

from collections.abc import Sequence
from os import PathLike
from typing import Any, Literal, SupportsFloat, SupportsIndex, TypedDict, TypeVar, Unpack

from numpy.typing import NDArray

from pecli.encodings.base import Encoding
{numbers}
from pecli.jobs.picture import Picture
from pecli.encodings.spec import HasArray

Item = TypeVar("Item")
Text = str | PathLike[str]
OneEncoding = Text | Encoding | HasArray
Several = Item | Sequence[Item] | NDArray[Any]
'''
FUNCTION = '''
def {name}(
    encoding: Several[OneEncoding] | Sequence[Several[OneEncoding]] | None = None,
    *others: OneEncoding,
    **options: Unpack[{options}],
) -> Picture[{returned}]:
    """{summary}."""
'''
TYPES = {
    int: "SupportsIndex",
    float: "SupportsFloat",
    str: "Text",
    bool: "bool",
}  # protocols, which numpy scalars fulfil, too


def function_of(name: str) -> Callable[..., Picture[Any]]:
    """Return the function that draws the figure or computes the report of that name."""
    analysis = ANALYSES[name]

    def function(encoding: Any = None, *others: Any, **options: Any) -> Picture[Any]:
        return Picture(job_of(name, {"encoding": [encoding, *others] if others else encoding, **options}))

    function.__name__ = function.__qualname__ = name
    function.__module__ = "pecli"
    function.__doc__ = documentation(analysis)
    first, *rest = (parameter(each, analysis).replace(annotation=Parameter.empty) for each in arguments(analysis))
    parameters = [first, Parameter("others", Parameter.VAR_POSITIONAL), *rest]
    function.__signature__ = Signature(parameters)  # type: ignore[attr-defined]  # read by inspect
    return function


def documentation(analysis: type[Analysis[Any]]) -> str:
    """Return the docstring of an analysis's function, made from the help texts of its options."""
    items = ((item, item.scalar.__name__, item.many or is_swept(item, analysis)) for item in arguments(analysis))
    saved = {"output": "; it is written by .save()"}
    first, *lines = (
        f"{item.name} : {kind}{' or several' * several}\n    {item.explained}{saved.get(item.name, '')}"
        for item, kind, several in items
    )
    others = "*others : str\n    further encodings; each may also be a table: an array, a data frame"
    numbers = f"{' | '.join(name for _, name in numbers_of(analysis))}: {analysis.defines}"
    parts = {
        "Parameters": "\n".join([first, others, *lines]),
        "Returns": f"Picture\n    Its ``numbers`` are {numbers}",
        "Raises": "UsageError : a value that is not allowed, more numbers than fit into memory",
        "Examples": "\n".join(f">>> {python_call(line)}" for line in (analysis.example, *analysis.examples)),
    }
    text = "\n\n".join(f"{head}\n{'-' * len(head)}\n{part}" for head, part in parts.items())
    return f"{ANALYSES.summary(analysis.name)}.\n\n{text}"


def advice_for(name: str) -> str:
    """Return advice if a name is not a function but an alias of a command, or an encoding; "" for other names."""
    if name in ANALYSES.aliases:
        own, options = ANALYSES.aliases[name]
        return f": it is pecli.{own}({', '.join(f'{option}={value!r}' for option, value in options.items())})"
    kind = encoding_named(name)
    return f": pecli.heatmap({name!r}) draws that encoding, pecli.encoding({name!r}) is it" if kind else ""


def arguments(analysis: type[Analysis[Any]]) -> Iterator[Option]:
    """Yield the options with their defaults, the encoding first.

    The default is None if the encoding or a file sets it.
    """
    own, open_ = analysis.default_options, {*encoding_parameters(), "length"}
    known = known_options(analysis)
    for name in (*EncodingOption.options(), *(name for name in known if name not in EncodingOption.options())):
        item = known[name]
        free = name in open_ or item.default in (None, ())
        yield replace(item, default=None, optional=True) if free else replace(item, default=default_of(item, own))


def parameter(option: Option, analysis: type[Analysis[Any]]) -> Parameter:
    """Return an option as a parameter of the function; only the encoding may be positional."""
    kind = Parameter.POSITIONAL_OR_KEYWORD if option.name in EncodingOption.options() else Parameter.KEYWORD_ONLY
    return Parameter(
        option.name, kind, default=option.default, annotation=annotation(option, is_swept(option, analysis))
    )


def is_swept(option: Option, analysis: type[Analysis[Any]]) -> bool:
    """Return whether several values of the option give one picture with a panel for each value."""
    return (
        analysis.drawn
        and option.scalar is not bool
        and option.name not in SINGLE
        and not (analysis.several and option.name in EncodingOption.options())
    )


def annotation(option: Option, swept: bool) -> str:
    """Return the type annotation of an option's values, as source text.

    swept : also allow several values
    """
    choices = list(option.choices()) if option.choices is not None else []
    scalar = (
        f"Literal[{', '.join(map(double_quoted, choices))}]" if 0 < len(choices) <= LISTED else TYPES[option.scalar]
    )
    scalar += " | str" if option.names and option.scalar is not str else ""
    scalar += f" | {next(iter(get_annotations(option.text_of).values()))}" if option.text_of else ""
    scalar += " | str" if option.place else ""
    several = f"Several[{scalar}]" if option.many or swept else scalar
    several += f" | Sequence[Several[{scalar}]]" if option.many and swept else ""
    return f"{several} | None" if option.optional else several


def numbers_of(analysis: type[Analysis[Any]]) -> list[tuple[str, str]]:
    """Return (module, class name) of the numbers that each variant of the analysis computes."""
    return [
        (kind.compute.__module__, get_annotations(kind.compute).get("return", "Numbers"))
        for kind in analysis.variants()
    ]


def double_quoted(value: Any) -> str:
    """Return a value as source text with double quotes."""
    return repr(value).replace("'", '"')


def stub() -> str:
    """Return the text of `figure_functions.pyi`.

    One TypedDict has the options that all figures share, one those that all reports share. A further TypedDict for each
    figure and report adds the other options.
    """
    imports: dict[str, None] = {}
    text = ""
    for shared, drawn in (("FigureOptions", True), ("ReportOptions", False)):
        analyses = {name: analysis for name, analysis in ANALYSES.items() if analysis.drawn == drawn}
        first, *others = types = [annotations_of(analysis) for analysis in analyses.values()]
        common = {name: kind for name, kind in first.items() if all(own.get(name) == kind for own in others)}
        text += typed_dict(shared, "TypedDict", common)
        for (name, analysis), known in zip(analyses.items(), types, strict=True):
            found, options = numbers_of(analysis), f"{name.capitalize()}Options"
            imports |= dict.fromkeys(f"from {module} import {each}" for module, each in found)
            text += typed_dict(options, shared, {own: kind for own, kind in known.items() if own not in common})
            returned = " | ".join(each for _, each in found)
            text += FUNCTION.format(name=name, options=options, returned=returned, summary=ANALYSES.summary(name))
    return HEAD.format(numbers="\n".join(sorted(imports))) + text


def annotations_of(analysis: type[Analysis[Any]]) -> dict[str, str]:
    """Return the type annotation of each option except the encoding, by name."""
    every = (parameter(option, analysis) for option in arguments(analysis))
    return {own.name: str(own.annotation) for own in every if own.name not in EncodingOption.options()}


def typed_dict(name: str, base: str, fields: Mapping[str, str]) -> str:
    """Return the source of a TypedDict of optional keys."""
    lines = "".join(f"    {field}: {text}\n" for field, text in fields.items()) or "    ...\n"
    return f"\nclass {name}({base}, total=False):\n{lines}"


if __name__ == "__main__":
    from pecli.core.terminal import print_results

    print_results([stub().rstrip("\n")])
