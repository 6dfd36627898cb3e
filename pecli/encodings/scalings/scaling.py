"""What every scaling of rope is: a function of the unscaled rates."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from decimal import Decimal
from typing import TYPE_CHECKING, Any, ClassVar

from pecli.core.errors import UsageError

if TYPE_CHECKING:
    from pecli.encodings.scalings.scaled import Scaled


class Scaling(ABC):
    """Base of the scalings. A subclass names its parameters (fields of `Scaled`) and gives `rates`.

    `needs` are the parameters that must be given, `takes` those that may be. λ_j is the wavelength 2π/ω_j.
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    formula: ClassVar[str]
    source: ClassVar[str]
    needs: ClassVar[tuple[str, ...]] = ()
    takes: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def check(cls, rope: Scaled) -> None:
        """Refuses parameters that are missing or that the formula cannot take (UsageError)."""
        for name in cls.needs:
            if getattr(rope, name) is None:
                text = f"scaling={cls.name} needs {name}=…: {rope.options()[name].help}"
                raise UsageError(text, option=name)

    @classmethod
    @abstractmethod
    def rates(cls, plain: list[Decimal], rope: Scaled) -> Iterable[Decimal]:
        """Return ω_j, rad/position, from the unscaled ω_j; called with many digits."""

    @classmethod
    def attention_factor(cls, rope: Scaled) -> float:
        """What both cos and sin are multiplied by; scores grow by its square."""
        return 1.0

    @classmethod
    def ramp(cls, rope: Scaled) -> tuple[float, float] | None:
        """The pairs between which the rule goes over from kept to divided, or None where it has no such range."""
        return None

    @classmethod
    def parts(cls, plain: list[Decimal], rope: Scaled) -> dict[str, int]:
        """How many pairs are kept, between and divided by the factor, where the rule sorts them so."""
        return {}


class Unscaled(Scaling):
    """The rates as they are."""

    name = "default"
    summary = "no scaling"
    formula = "ω_j = base^(−2j/d)"
    source = "Su et al. 2021, RoFormer, arXiv:2104.09864"

    @classmethod
    def rates(cls, plain: list[Decimal], rope: Scaled) -> Iterable[Decimal]:
        return plain


def sorted_parts(weights: Iterable[Any]) -> dict[str, int]:
    """Pairs by their weight of the divided rate: 0 kept, 1 divided, else between."""
    known = list(weights)
    kept, divided = sum(one == 0 for one in known), sum(one == 1 for one in known)
    return {"kept": kept, "between": len(known) - kept - divided, "divided": divided}


def check_factor(name: str, factor: float | None) -> None:
    """Refuses a factor that would shorten the context."""
    if factor is not None and factor < 1:
        raise UsageError(
            f"factor={factor:g} is not allowed with scaling={name}: it takes a number ≥ 1",
            option="factor",
            value=factor,
        )
