"""Control words of RTF that stand for a sign, or that begin a group whose text is not part of the document's."""

from __future__ import annotations

SIGNS = {
    "tab": "\t",
    "line": "\n",
    "lbr": "\n",
    "emdash": "—",
    "endash": "–",
    "emspace": " ",
    "enspace": " ",
    "qmspace": " ",
    "bullet": "•",
    "lquote": "‘",
    "rquote": "’",
    "ldblquote": "“",
    "rdblquote": "”",
    "zwj": "\u200d",
    "zwnj": "\u200c",
    "~": " ",
    "_": "\u2011",
}

_PASSED = """
    colortbl filetbl revtbl rsidtbl listtable listoverridetable pgptbl xmlnstbl latentstyles themedata datastore
    colorschememapping generator pict objdata objname objclass objalias objsect objtime nonshppict shprslt sp
    bkmkstart bkmkend atnid atnauthor atndate atntime atnicn atnref atnparent atrfstart atrfend passwordhash
    xe tc txe rxe template private falt panose fname fontemb fontfile ftnsep ftnsepc ftncn aftnsep aftnsepc aftncn
    pntxta pntxtb pnseclvl formfield mmathPr mailmerge docvar userprops category company doccomm hlinkbase keywords
    manager operator subject comment oldcprops oldpprops oldtprops oldsprops htmltag mhtmltag blipuid picprop
    background dptxbx wgrffmtfilter
"""
PASSED = frozenset(_PASSED.split())
"""Groups that are passed over."""
AROUND = frozenset({"header", "headerl", "headerr", "headerf", "footer", "footerl", "footerr", "footerf"})
BOXES = frozenset({"shptxt", "dptxbxtext"})
"""Text in a drawing, which is read where the drawing stands."""
DRAWINGS = frozenset({"shpinst", "do", "shp", "shpgrp"})
"""Groups of which only what `BOXES` begin is read."""
