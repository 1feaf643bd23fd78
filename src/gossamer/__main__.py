"""`python -m gossamer`"""

from __future__ import annotations

import sys

from gossamer.cli.main import main

sys.exit(main())
