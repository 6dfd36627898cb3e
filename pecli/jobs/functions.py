"""A function a figure and report, made of their options: ``pecli.heatmap(base=10)`` is ``pecli.figure("heatmap", …)``.

`pecli/jobs/figure_functions.pyi` tells it to editors and type checkers; ``python -m pecli.jobs.functions`` prints that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from inspect import Parameter, Signature, get_annotations
from typing import Any

from pecli.analysis import Analysis
from pecli.core.language import Language
from pecli.core.options import Option, default_of
from pecli.encodings.registry import encoding_named
from pecli.figures.canvas import Canvas
from pecli.jobs.job_options import ANALYSES, EncodingOption, Output, encoding_parameters, known_options
from pecli.jobs.picture import Picture
from pecli.jobs.sweep import job_of

LISTED = 20  # words of a choice that its type still lists
HEAD = '''\
"""The functions of all figures and reports, made of their options; python -m pecli.jobs.functions prints this."""

from collections.abc import Sequence
from typing import Literal

from pecli.encodings.base import Encoding
from pecli.jobs.picture import Picture
'''


def function_of(name: str) -> Callable[..., Picture]:
    """Return the function that draws a figure or computes a report of that name."""
    analysis = ANALYSES[name]

    def function(encoding: Any = None, **options: Any) -> Picture:
        return Picture(job_of(name, {"encoding": encoding, **options}))

    function.__name__ = function.__qualname__ = name
    function.__module__ = "pecli"
    text = ((argument, annotation(argument, is_swept(argument, analysis))) for argument in arguments(analysis))
    lines = "\n".join(f"{item.name} : {kind}\n    {item.help} ({item.bounds})." for item, kind in text)
    function.__doc__ = f"{analysis.summary}.\n\nParameters\n----------\n{lines}"
    function.__signature__ = Signature(  # type: ignore[attr-defined]  # where inspect looks
        [parameter(argument, analysis) for argument in arguments(analysis)], return_annotation="Picture"
    )
    return function


def advice_for(name: str) -> str:
    """Return what to write for a name that is no function but means something on the command line; mostly nothing."""
    if name in ANALYSES.aliases:
        own, options = ANALYSES.aliases[name]
        return f": it is pecli.{own}({', '.join(f'{option}={value!r}' for option, value in options.items())})"
    kind = encoding_named(name)
    return f": pecli.heatmap({name!r}) draws that encoding, pecli.encoding({name!r}) is it" if kind else ""


def arguments(analysis: type[Analysis[Any]]) -> Iterator[Option]:
    """Yield the options with their defaults, the encoding first; None where the encoding or the file tells the
    default.
    """
    own, open_ = analysis.default_options, {*encoding_parameters(), "length"}
    known = known_options(analysis)
    for name in (*EncodingOption.options(), *(name for name in known if name not in EncodingOption.options())):
        item = known[name]
        free = name in open_ or item.default in (None, ())
        yield replace(item, default=None, optional=True) if free else replace(item, default=default_of(item, own))


def parameter(option: Option, analysis: type[Analysis[Any]]) -> Parameter:
    """Return one option as a parameter: the encoding may stand by its place, the others by their names alone."""
    kind = Parameter.POSITIONAL_OR_KEYWORD if option.name in EncodingOption.options() else Parameter.KEYWORD_ONLY
    return Parameter(
        option.name, kind, default=option.default, annotation=annotation(option, is_swept(option, analysis))
    )


def is_swept(option: Option, analysis: type[Analysis[Any]]) -> bool:
    """Return whether several values of it are one picture of all of them."""
    single = {*Canvas.options(), *Output.options(), *Language.options()}
    return (
        analysis.drawn
        and option.scalar is not bool
        and option.name not in single
        and not (analysis.several and option.name in EncodingOption.options())
    )


def annotation(option: Option, swept: bool = False) -> str:
    """Return the type of an option's values, as code; of one that may be swept also several."""
    choices = list(option.choices()) if option.choices is not None else []
    scalar = f"Literal[{', '.join(map(repr_, choices))}]" if 0 < len(choices) <= LISTED else option.scalar.__name__
    scalar += " | str" if option.names and option.scalar is not str else ""
    scalar += f" | {next(iter(get_annotations(option.text_of).values()))}" if option.text_of else ""
    several = f"{scalar} | Sequence[{scalar}]" if option.many or swept else scalar
    several += f" | Sequence[Sequence[{scalar}]]" if option.many and swept else ""
    return f"{several} | None" if option.optional else several


def repr_(value: Any) -> str:
    """Return a value as code, in the quotation marks of this project."""
    return repr(value).replace("'", '"')


def stub() -> str:
    """Return the text of the file that tells the functions to editors and type checkers."""
    text = HEAD
    for name, analysis in ANALYSES.items():
        parameters = [parameter(argument, analysis) for argument in arguments(analysis)]
        first, *rest = (f"    {p.name}: {p.annotation} = {repr_(p.default)},\n" for p in parameters)
        text += f'\ndef {name}(\n{first}    *,\n{"".join(rest)}) -> Picture:\n    """{analysis.summary}."""\n'
    return text


if __name__ == "__main__":
    from pecli.core.terminal import print_results

    print_results([stub().rstrip("\n")])
