"""The table as an image, for videos, notebooks and ``render_mode="rgb_array"``."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from whot_env.errors import WhotError
from whot_env.render.describe import View

MIN_WIDTH = 320
MAX_WIDTH = 3840


def render_image(view: View, width: int = 960) -> npt.NDArray[np.uint8]:
    """The table seen from above, drawn without font or picture files; the same view gives the same bytes.

    Args:
        view: what ``Game.view(viewer)`` gives. The viewer sits at the bottom (seat 0 if there is none), seat numbers
            grow clockwise. Hands that are ``None`` are drawn face down.
        width: width in pixels, 320 to 3840. The height is two thirds of it.

    Returns:
        uint8 [height, width, 3], RGB.

    Raises:
        WhotError: the width is outside its range.
        ImportError: Pillow, or its font support, is not installed.
    """
    if not MIN_WIDTH <= width <= MAX_WIDTH:
        raise WhotError("width", f"width must be from {MIN_WIDTH} to {MAX_WIDTH} pixels, not {width!r}.")
    try:
        from whot_env.render.table import draw_table
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] != "PIL":
            raise
        raise ImportError("Drawing an image needs Pillow: install it with `pip install pillow`.") from error
    return np.array(draw_table(view, int(width)), dtype=np.uint8)
