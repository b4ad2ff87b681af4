"""``python -m whot_env``: the same as ``whot``."""

from whot_env.cli import main

raise SystemExit(main())
