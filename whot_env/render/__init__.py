"""Pictures of a game: pure functions of the dictionary that ``Game.view(seat)`` gives.

What a viewer may not see is not in the view (a face-down hand is ``None`` there), so no renderer can show it.
Pillow is imported only when an image is asked for.
"""

from whot_env.render.image import render_image
from whot_env.render.text import render_text

__all__ = ["render_image", "render_text"]
