"""Tests of formulas as text and as LaTeX mathematics."""

from __future__ import annotations

import pytest
from matplotlib.mathtext import MathTextParser

from pecli.core.language import Language, languages, say, use_language
from pecli.core.mathematics import Formula, latex
from pecli.encodings.registry import ENCODINGS
from pecli.encodings.rope_scaling import SCALINGS

CASES = [
    ("ω_j = base^(−2j/d)", r"\omega_{j} = \mathrm{base}^{-2j/d}"),
    ("p θ_j; θ_j = b^(−2j/d)", r"p \theta_{j};\quad \theta_{j} = b^{-2j/d}"),
    ("10000^(-2/8)", "10000^{-2/8}"),
    ("3600^-2", "3600^{-2}"),
    ("⌊p / 2^j⌋ mod 2", r"\lfloor p / 2^{j}\rfloor \bmod 2"),
    ("⌊p/2⌋%2", r"\lfloor p/2\rfloor \bmod 2"),
    ("s_h · |p − q|", r"s_{h} \cdot |p - q|"),
    ("|p − q|^r2", "|p - q|^{r_{2}}"),
    ("r0 cos(ω0p+φ0)", r"r_{0} \cos (\omega_{0}p+\varphi_{0})"),
    ("factor^(d/(d − 2))", r"\mathrm{factor}^{d/(d - 2)}"),
    ("base' = max(seq_len, max_position)", r"\mathrm{base}' = \max (\mathrm{seq\_len}, \mathrm{max\_position})"),
    ("ω_j / long_factor_j", r"\omega_{j} / \mathrm{long\_factor}_{j}"),
    ("ωj·c or ωj·r", r"\omega_{j}\cdot c\ \mathrm{or}\ \omega_{j}\cdot r"),
    ("1.5e-07 + 2e3", r"1.5 \times 10^{-7} + 2 \times 10^{3}"),
    ("10,000 + 1", "10{,}000 + 1"),
    ("⟨R_p x, R_q y⟩", r"\langle R_{p} x, R_{q} y\rangle"),
    ("row p of a table", r"\mathrm{row}\ p\ \mbox{of a table}"),
    ("pair j turned by p", r"\mathrm{pair}\ j\ \mbox{turned by}\ p"),
    ("x, y = 2", r"x,\ y = 2"),
    ("f(x, y)", "f(x, y)"),
    ("表的第 p 行", r"\mbox{表的第}\ p\ \mbox{行}"),
    ("时为 −r1", r"\mbox{时为}\ {-}r_{1}"),
    ("a_{b} $5 \\ #", r"a\_\{b\} \$5 \backslash \#"),
    ("2^", "2^{}"),
    ("2^(3", "2^{(}3"),
    ("", ""),
]


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_a_formula_is_the_same_in_latex(text: str, expected: str) -> None:
    assert latex(text) == expected


def test_the_rates_of_rope_are_those_of_its_paper() -> None:
    assert r"\theta_{j} = b^{-2j/d}" in latex(say(ENCODINGS["rope"].formula))


@pytest.mark.long
def test_every_formula_can_be_set() -> None:
    formulas = {scaling.formula for scaling in SCALINGS.values()}
    for lang in languages():
        with use_language(Language.make({"lang": lang})):
            formulas |= {say(encoding.formula) for encoding in ENCODINGS.values()}
    for formula in formulas:
        result = latex(formula)
        assert not set("−·ωλ⌊⌋π") & set(result)
        MathTextParser("path").parse(f"${result}$".replace(r"\mbox", r"\text").replace(r"\bmod", r"\cdot"))


@pytest.mark.parametrize(
    ("formula", "parts"),
    [
        (Formula("x^2"), ("", "x^2", "")),
        (Formula("the angle ωj·p.", inside="ωj·p"), ("the angle ", "ωj·p", ".")),
    ],
)
def test_a_formula_knows_its_place_in_a_text(formula: Formula, parts: tuple[str, str, str]) -> None:
    assert formula.parts() == parts and isinstance(formula, str)
