"""Make pecli/page/fonts from the fonts of Debian's package fonts-inter: ``python tests/page/make_fonts.py``.

Needs fontTools. Outlines are converted to quadratic curves (TTF), so that every PDF reader shows them. Letters are
limited to Latin, Greek, punctuation and mathematics, and kerning to pairs in a table "kern", which matplotlib reads.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from fontTools.pens.cu2quPen import Cu2QuPen
from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont, newTable
from fontTools.ttLib.tables._k_e_r_n import KernTable_format_0

SOURCE = Path("/usr/share/fonts/opentype/inter")
TARGET = Path(__file__).parents[2] / "pecli" / "page" / "fonts"
FACES = ("Regular", "Italic", "Medium", "SemiBold")
LETTERS = [
    *range(0x20, 0x17F),  # Latin
    *range(0x384, 0x3D7),  # Greek
    *range(0x2000, 0x2070),  # punctuation
    *range(0x2070, 0x20A0),  # raised and lowered digits
    *range(0x2100, 0x2190),  # letters and numbers
    *range(0x2190, 0x2400),  # arrows, operators, brackets
    *range(0x2500, 0x2700),  # shapes
]
KERNED = range(0x21, 0x7F)
ERROR = 1.0  # largest deviation of a curve, in 1/2048 em


def quadratic(font: Any) -> None:
    """Convert the font's cubic outlines to quadratic ones."""
    glyphs, order = font.getGlyphSet(), font.getGlyphOrder()
    drawn = {}
    for name in order:
        pen = TTGlyphPen(glyphs)
        glyphs[name].draw(Cu2QuPen(pen, ERROR, reverse_direction=True))
        drawn[name] = pen.glyph()
    font["loca"], font["glyf"] = newTable("loca"), newTable("glyf")
    font["glyf"].glyphOrder, font["glyf"].glyphs = order, drawn
    del font["CFF "]
    for name in order:
        drawn[name].recalcBounds(font["glyf"])
    font["hmtx"].metrics = {n: (font["hmtx"][n][0], getattr(drawn[n], "xMin", 0)) for n in order}
    most = font["maxp"]
    most.tableVersion = 0x00010000
    for field in ("maxTwilightPoints", "maxStorage", "maxFunctionDefs", "maxInstructionDefs", "maxStackElements"):
        setattr(most, field, 0)
    most.maxZones, most.maxSizeOfInstructions = 1, 0
    most.maxComponentElements = max((len(g.components) for g in drawn.values() if g.isComposite()), default=0)
    font["post"].formatType, font["post"].extraNames, font["post"].mapping = 2.0, [], {}
    font.sfntVersion = "\000\001\000\000"


def pairs(font: Any) -> dict[tuple[str, str], int]:
    """Return the kerning of two letters in font units, from the pairs and classes of the feature "kern"."""
    names = {font.getBestCmap()[code] for code in KERNED if code in font.getBestCmap()}
    table, found = font["GPOS"].table, {}
    wanted = {at for record in table.FeatureList.FeatureRecord if record.FeatureTag == "kern"
              for at in record.Feature.LookupListIndex}  # fmt: skip
    for lookup in (table.LookupList.Lookup[at] for at in sorted(wanted)):
        for part in (getattr(sub, "ExtSubTable", sub) for sub in lookup.SubTable):
            if part.LookupType != 2:
                continue
            firsts = [name for name in part.Coverage.glyphs if name in names]
            for first in firsts:
                if part.Format == 1:
                    own = part.PairSet[part.Coverage.glyphs.index(first)].PairValueRecord
                    values = {item.SecondGlyph: item.Value1 for item in own if item.SecondGlyph in names}
                else:
                    row = part.Class1Record[part.ClassDef1.classDefs.get(first, 0)].Class2Record
                    values = {other: row[part.ClassDef2.classDefs.get(other, 0)].Value1 for other in names}
                for other, value in values.items():
                    if (first, other) not in found:
                        found[first, other] = getattr(value, "XAdvance", 0) or 0
    return {pair: value for pair, value in found.items() if abs(value) >= 20}


def main() -> None:
    TARGET.mkdir(exist_ok=True)
    for face in FACES:
        font = TTFont(SOURCE / f"Inter-{face}.otf")
        kerning = pairs(font)
        chosen = Subsetter(Options(layout_features=[], name_IDs=[0, 1, 2, 3, 4, 5, 6, 13, 14, 16, 17], hinting=False))
        chosen.populate(unicodes=LETTERS)
        chosen.subset(font)
        quadratic(font)
        kern = newTable("kern")
        kern.version, part = 0, KernTable_format_0()
        part.coverage, part.apple, part.tupleIndex, part.kernTable = 1, False, None, kerning
        kern.kernTables = [part]
        font["kern"] = kern
        for tag in {"GPOS", "GSUB", "GDEF", "BASE", "DSIG", "STAT"} & {*font.keys()}:
            del font[tag]
        target = TARGET / f"Inter-{face}.ttf"
        font.save(target)
        sys.stdout.write(f"{target.name}: {target.stat().st_size:,} bytes, {len(kerning)} pairs\n")


if __name__ == "__main__":
    main()
