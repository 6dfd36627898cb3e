r"""Formulas as text, ``base^(−2j/d)``, and the same text as LaTeX mathematics, ``\mathrm{base}^{-2j/d}``.

A formula is written once, as text for terminals; LaTeX is made from it.
"""

from __future__ import annotations

import re
from typing import NamedTuple, Self

FUNCTIONS = ("sin", "cos", "ln", "log", "exp", "max", "min")
SIGNS = {  # signs of formulas as LaTeX commands that need no package
    "−": "-", "·": r"\cdot ", "×": r"\times ", "π": r"\pi ", "Δ": r"\Delta ", "Σ": r"\sum ", "∑": r"\sum ",
    "⌊": r"\lfloor ", "⌋": r"\rfloor ", "⟨": r"\langle ", "⟩": r"\rangle ", "‖": r"\|", "≤": r"\le ", "≥": r"\ge ",
    "≠": r"\ne ", "±": r"\pm ", "∞": r"\infty ", "√": r"\surd ", "…": r"\dots ", "→": r"\to ", "°": r"^\circ ",
    "²": "^2", "³": "^3", "%": r"\bmod ", "½": r"\frac{1}{2}", ";": r";\quad ", ":": r"\colon ", "~": r"\sim ",
    "\\": r"\backslash ", **{sign: f"\\{sign}" for sign in "&$#_{}"},
}  # fmt: skip
GREEK = {"ω": r"\omega", "λ": r"\lambda", "θ": r"\theta", "φ": r"\varphi", "ρ": r"\rho", "μ": r"\mu",
         "ζ": r"\zeta", "γ": r"\gamma"}  # fmt: skip
TOKEN = re.compile(
    r"""(?P<space>\s+)
    | (?P<number>\d{1,3}(?:,\d{3})+(?:\.\d+)? | \d+(?:\.\d+)?(?:e[+-]?\d+)?)
    | (?P<indexed>[A-Za-z]\d+(?![A-Za-z_]) | [ωλθφρμζγ](?:_[A-Za-z0-9]+|\d+|j)?)
    | (?P<name>[A-Za-z]+(?:_[A-Za-z0-9]+)*)
    | (?P<other>[⺀-鿿＀-￯]+)
    | (?P<sign>.)""",
    re.VERBOSE,
)
DEPTHS = {"(": 1, "[": 1, "⟨": 1, ")": -1, "]": -1, "⟩": -1}


class Formula(str):
    """A text that is a formula or contains one; LaTeX documents set the formula as mathematics.

    inside : the part that is a formula; "" if the whole text is one
    """

    inside: str

    def __new__(cls, text: str, inside: str = "") -> Self:
        formula = super().__new__(cls, text)
        formula.inside = inside
        return formula

    def parts(self) -> tuple[str, str, str]:
        """Return the text before the formula, the formula, and the text after it."""
        return self.partition(self.inside) if self.inside else ("", str(self), "")


class Token(NamedTuple):
    """A piece of a formula: its kind (a group of `TOKEN`, or "words" for several words in a row) and its text."""

    kind: str
    text: str


def latex(formula: str) -> str:
    """Return a formula as LaTeX mathematics that needs no package, without the dollar signs around it."""
    tokens = _tokens(formula)
    parts: list[str] = []
    depth = at = 0
    while at < len(tokens):
        kind, text = tokens[at]
        depth += DEPTHS.get(text, 0)
        if text == "^":
            end = _end_of_power(tokens, at + 1)
            power = tokens[at + 1 : end]
            inner = power[1:-1] if power and power[-1].text == ")" else power
            parts.append(f"^{{{latex(''.join(token.text for token in inner))}}}")
            at = end
            continue
        if kind == "space":
            listed = depth == 0 and at > 0 and tokens[at - 1].text == ","
            parts.append(r"\ " if listed or _parts_words(tokens, at) else " ")
        else:
            parts.append("{-}" if _is_minus_after_words(tokens, at) else _piece(kind, text))
        at += 1
    return re.sub(r"(?<!\\) +", " ", "".join(parts)).replace(r" \ ", r"\ ").strip()


def _tokens(formula: str) -> list[Token]:
    """Return the tokens of a formula; words in a row, as in "cos of the same angle", are one token."""
    found = [Token(str(match.lastgroup), match[0]) for match in TOKEN.finditer(formula)]
    result: list[Token] = []
    for at, token in enumerate(found):
        run = result[-2:]
        spaced = len(run) == 2 and run[1].kind == "space" and _is_plain_word(run[0])
        follows = found[at + 1 : at + 3]
        article = token.text == "a" and len(follows) == 2 and _is_plain_word(follows[1])
        call = bool(follows) and follows[0].text in ("(", "[", "^", "=")
        if spaced and (article or (_is_plain_word(token) and not call)):
            result[-2:] = [Token("words", f"{run[0].text} {token.text}")]
        else:
            result.append(token)
    return result


def _is_plain_word(token: Token) -> bool:
    """Return whether a token is one or several words of prose, not a function or a one-letter variable."""
    word = token.kind == "name" and len(token.text) > 1 and "_" not in token.text
    return token.kind == "words" or (word and token.text not in (*FUNCTIONS, "mod"))


def _is_named(token: Token) -> bool:
    """Return whether a token is prose, or a name of several letters that is not a function."""
    several = len(token.text) > 1 and token.text[:2].isalpha() and token.text not in (*FUNCTIONS, "mod")
    return (token.kind == "name" and several) or token.kind in ("words", "other")


def _parts_words(tokens: list[Token], at: int) -> bool:
    """Return whether the space at index `at` must be kept: one of its neighbours is a word, and none is an operator."""
    if not 0 < at < len(tokens) - 1:
        return False
    before, after = tokens[at - 1], tokens[at + 1]
    if _is_minus_after_words(tokens, at + 1):
        return True
    joined = (before.kind == "sign" and before.text not in ")]'⟩⌋") or (
        after.kind == "sign" and after.text not in "([⟨⌊"
    )
    functions = any(token.text in (*FUNCTIONS, "mod") for token in (before, after))
    return (_is_named(before) or _is_named(after)) and not joined and not functions


def _is_minus_after_words(tokens: list[Token], at: int) -> bool:
    """Return whether the token at index `at` is a sign, not a subtraction: the minus in "when −r"."""
    if tokens[at].text not in ("-", "−") or not 2 <= at < len(tokens) - 1:
        return False
    words = tokens[at - 1].kind == "space" and tokens[at - 2].kind in ("words", "other")
    return words and tokens[at + 1].kind != "space"


def _end_of_power(tokens: list[Token], at: int) -> int:
    """Return the index after the exponent that begins at `at`: a group in brackets, or one token with its sign."""
    if at < len(tokens) and tokens[at].text == "(":
        depth = 0
        for end in range(at, len(tokens)):
            depth += DEPTHS.get(tokens[end].text, 0)
            if depth == 0:
                return end + 1
    signed = at < len(tokens) and tokens[at].text in ("-", "−")
    return min(len(tokens), at + 1 + signed)


def _piece(kind: str, text: str) -> str:
    """Return a token as LaTeX."""
    if kind == "number":
        mantissa, exponent, power = text.partition("e")
        plain = mantissa.replace(",", "{,}")
        return rf"{plain} \times 10^{{{int(power)}}}" if exponent else plain
    if kind == "indexed":
        index = text[1:].removeprefix("_")
        return GREEK.get(text[0], text[0]) + (f"_{{{index}}}" if index else " " * (text[0] in GREEK))
    if kind == "name":
        return _name(text)
    if kind in ("words", "other"):
        return rf"\mbox{{{text}}}"
    return SIGNS.get(text, text)


def _name(text: str) -> str:
    """Return a name as LaTeX: a variable, a function, or a name of several letters.

    A single letter after the last "_" becomes a subscript.
    """
    if text in FUNCTIONS:
        return rf"\{text} "
    if text == "mod":
        return r"\bmod "
    *stem, last = text.split("_")
    if stem and len(last) > 1:
        stem, last = [*stem, last], ""
    name = r"\_".join(stem or [last])
    upright = name if len(name) == 1 else rf"\mathrm{{{name}}}"
    return f"{upright}_{{{last}}}" if stem and last else upright
