"""What does every view carry with it? The style sheet and the icon: so the first view is one answer, and nothing has to
be asked for before it can be seen.

A browser takes the style sheet only as it stands here: the policy names its hash.
"""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path
from urllib.parse import quote

from markupsafe import Markup

_FOLDER = Path(__file__).parent / "templates"
_SHEET = (_FOLDER / "style.css").read_text("utf-8")

STYLE = Markup(_SHEET)
STYLE_HASH = f"sha256-{base64.b64encode(hashlib.sha256(_SHEET.encode()).digest()).decode()}"
"""As a Content-Security-Policy names it."""
ICON = f"data:image/svg+xml,{quote((_FOLDER / 'icon.svg').read_text('utf-8').strip(), safe='/:= ')}"
