"""Widths and text sizes of conferences, journals and slides, read from their public style files.

Lengths are written as the style files write them; a length in pt is what LaTeX prints for `\\columnwidth` or
`\\textwidth` in a document of that style. ``name-full`` is the width across both columns, or the whole sheet or frame.
"""

from __future__ import annotations

from typing import NamedTuple


class Venue(NamedTuple):
    """The lengths and text sizes of one venue.

    column : width of a column, or of the text where there is one column only
    body, caption : size of the text and of captions in points; caption of 0: the style gives captions the body's size
    source : where the numbers are from
    full : width across both columns; "" for a style of one column
    middle : width of one and a half columns; "" if the venue has none
    least : smallest text that the venue allows in a picture, in points
    """

    column: str
    body: float
    caption: float
    source: str
    full: str = ""
    middle: str = ""
    least: float = 7.0

    @property
    def text(self) -> float:
        """The size of a picture's text in points.

        It is the size of captions or, if captions are as large as body text, one point less.
        """
        return self.caption or self.body - 1

    @property
    def widths(self) -> dict[str, str]:
        """The widths by the suffix of the size's name, such as ``-full``."""
        return {"": self.column, "-middle": self.middle, "-full": self.full}


VENUES = {
    "icml": Venue(
        "3.25in",  # (\textwidth 6.75in − \columnsep 0.25in) / 2
        body=10,  # \@normalsize: \xpt
        caption=9,  # \@makecaption: \small, \ixpt
        full="6.75in",  # \textwidth
        source="icml2024.sty and icml2026.sty",
    ),
    "neurips": Venue(
        "5.5in",  # geometry: textwidth=5.5in
        body=10,  # \normalsize: \@xpt
        caption=0,  # \@makecaption is that of article
        source="neurips_2023.sty and neurips_2025.sty",
    ),
    "iclr": Venue(
        "5.5in",  # \textwidth 5.5 true in
        body=10,  # \normalsize: \xpt
        caption=0,  # \@makecaption is that of article
        source="iclr2024_conference.sty and iclr2026_conference.sty",
    ),
    "acl": Venue(
        "219.08614pt",  # \columnwidth: geometry a4paper, margin=2.5cm; \columnsep 0.6cm
        body=11,  # acl_latex.tex: \documentclass[11pt]{article}
        caption=10,  # \captionsetup{font=10pt}
        full="455.24411pt",  # \textwidth, 16 cm
        source="acl.sty of github.com/acl-org/acl-style-files",
    ),
    "aaai": Venue(
        "3.3125in",  # (\textwidth 7.0in − \columnsep 0.375in) / 2
        body=10,  # \normalsize: \@xpt
        caption=0,  # \@makecaption is that of article
        full="7in",  # \textwidth
        source="aaai24.sty and aaai2026.sty",
    ),
    "cvpr": Venue(
        "3.28125in",  # (\textwidth 6.875in − \columnsep 0.3125in) / 2
        body=10,  # article with 10pt, which the style asks for
        caption=9,  # caption: font=small
        full="6.875in",  # \textwidth
        source="cvpr.sty of github.com/cvpr-org/author-kit, 2025",
    ),
    "eccv": Venue(
        "347.12354pt",  # \textwidth of llncs.cls, 12.2cm; eccv.sty: width=122mm
        body=10,  # llncs.cls: \normalsize
        caption=9,  # eccv.sty, caption: font=small
        source="eccv.sty of github.com/eccv24/paper-template, llncs.cls 2.22",
    ),
    "jmlr": Venue(
        "6in",  # \textwidth 6.0 true in
        body=11,  # sample.tex: \documentclass[twoside,11pt]{article}
        caption=0,  # \@makecaption sets no size
        source="jmlr2e.sty of github.com/JmlrOrg/jmlr-style-file",
    ),
    "tmlr": Venue(
        "6.5in",  # \textwidth 6.5 true in
        body=10,  # main.tex: \documentclass[10pt]{article}
        caption=0,  # \@makecaption is that of article
        source="tmlr.sty of github.com/JmlrOrg/tmlr-style-file",
    ),
    "ieee": Venue(
        "252pt",  # \columnwidth of journal and conference
        body=10,  # \normalsize
        caption=8,  # \@makecaption: \footnotesize
        full="516pt",  # \textwidth
        source="IEEEtran.cls V1.8b",
    ),
    "nature": Venue(
        "89mm",  # single column
        body=7,  # maximum text size of a figure: 7pt
        caption=7,  # maximum text size of a figure: 7pt
        full="183mm",  # double column
        least=5,  # minimum text size of a figure: 5pt
        source="research-figure-guide.nature.com, Building and exporting figure panels",
    ),
    # Lengths, and text of 6 to 8 pt, are from PNAS's digital art guidelines as others quote them. The columns of the
    # class file, which was read, differ by at most 0.5 mm.
    "pnas": Venue(
        "8.7cm",  # one column; pnas-new.cls: 246.1pt
        body=9,  # pnas-new.cls: \documentclass[9pt,twocolumn,twoside]
        caption=7,  # pnas-new.cls: \fontsize{7}{9}
        middle="11.4cm",  # one and a half columns
        full="17.8cm",  # two columns; pnas-new.cls: 505.7pt
        least=6,  # text of 6 to 8 pt
        source="pnas-new.cls v1.46; PNAS digital art guidelines, as quoted by others",
    ),
    "beamer": Venue(
        "398.3386ptx7cm",  # \textwidth; a frame with a title of one line has room for 8 cm
        body=11,  # the class's default
        caption=10,  # beamerfontthemedefault.sty: \small
        full="16cmx9cm",  # the frame
        source="beamer.cls v3.68 with aspectratio=169",
    ),
    "a4": Venue(
        "345pt",  # \textwidth of article with a4paper
        body=10,  # the class's default
        caption=0,  # \@makecaption sets no size
        full="210mmx297mm",  # the sheet, ISO 216
        source="article.cls with a4paper",
    ),
}

SAME_STYLE = {  # venues with the style of another, by what their style files say
    **dict.fromkeys(("emnlp", "naacl", "eacl", "aacl"), "acl"),  # acl.sty: "the LaTeX style file for *ACL"
    "iccv": "cvpr",  # cvpr.sty: "reproduces the original CVPR/ICCV style"
    "nips": "neurips",  # its name until 2018
}
