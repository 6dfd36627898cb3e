"""The numbers behind wavelengths of pairs of dimensions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from pecli.core.language import listing, phrase
from pecli.core.lazy import Array, np
from pecli.core.number_text import number_text
from pecli.encodings.capabilities import TableEncoding
from pecli.encodings.harmonic import Harmonic
from pecli.encodings.titles import short_names
from pecli.figures.figure import Numbers
from pecli.figures.wavelength_marks import STILL, outlasts_axis
from pecli.figures.wavelength_texts import growth_text, longest_text, parted_text, scaled_text
from pecli.measures.wavelengths import MEASURED


@dataclass(frozen=True, kw_only=True)
class SpectrumNumbers(Numbers[TableEncoding]):
    """wavelength : (n,), positions (a pair that stands still has none and is left out); pair : (n,);
    encoding : (n,), which of the encodings; stretch : (n,), over the wavelength without the scaling."""

    main_array: ClassVar[str] = "wavelength"
    row_coordinates: ClassVar[tuple[str, ...]] = ("pair", "encoding", "stretch")

    wavelength: Array
    pair: Array
    encoding: Array
    stretch: Array
    divided: bool  # whether the stretch is drawn
    dashed: bool  # whether the wavelengths without the scaling are shown too
    contexts: tuple[tuple[str, float], ...]  # of the models whose rope is scaled, each once
    ramps: tuple[tuple[float, float] | None, ...]  # the pairs between kept and divided, of each encoding
    ratios: tuple[str, ...]  # between neighbours, one text an encoding
    longer: tuple[int, ...]  # pairs that never finish a turn over the length shown
    still: tuple[int, ...]  # pairs left out: frequency 0, or a column that does not vary

    def remarks(self) -> list[str]:
        measured = [e.name for e in self.view.encodings if not isinstance(e, Harmonic)]
        rows, most = zip(self.view.encodings, self.still, strict=True), number_text(STILL)
        left_out = [
            phrase("{encoding}: {count} left out, longer than {most} or still", encoding=e.name, count=n, most=most)
            for e, n in rows
            if n
        ]
        said = ""
        if measured:
            said = phrase(
                "{encodings}: the dominant period of each column, measured over one cycle or the length",
                encodings=listing(measured),
            )
        return [said, *left_out]

    def marks(self) -> list[str]:
        dashed = phrase("dashed: without the scaling") if self.dashed else ""
        return [dashed, phrase("band: pairs between kept and divided") if any(self.ramps) else ""]

    def message(self) -> str:
        one = self.view.encoding
        if any(self.still) and any(map(outlasts_axis, self.view.encodings)):  # the longest shown is not the longest
            return ""
        if len(self.view.encodings) > 1:
            return "" if self.divided else self._compared()
        if not (isinstance(one, Harmonic) or one.cycle(MEASURED)) or not self.ratios[0]:
            return ""
        if (self.stretch != 1).any():
            return scaled_text(self.stretch)
        return growth_text(one, self.wavelength, self.ratios[0])

    def _compared(self) -> str:
        """What several encodings' wavelengths say beside each other."""
        encodings = self.view.encodings
        own = [self.encoding == at for at in range(len(encodings))]
        waves, names = [self.wavelength[mine] for mine in own], short_names(encodings)
        alike = len(own) == 2 and np.array_equal(*(self.pair[mine] for mine in own))
        return (parted_text(waves, names) if alike else "") or longest_text(encodings, waves, names)

    def facts(self) -> dict[str, Any]:
        names = [encoding.spec() for encoding in self.view.encodings]
        columns = {"ratio": self.ratios, "longer_than_length": self.longer, "still": self.still}
        scaled = {name: ramp for name, ramp in zip(names, self.ramps, strict=True) if ramp is not None}
        return {
            **{name: dict(zip(names, values, strict=True)) for name, values in columns.items()},
            **({"ramp": scaled} if scaled else {}),
            **({"contexts": dict(self.contexts)} if self.contexts else {}),
        }
