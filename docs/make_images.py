"""Draws docs/images/table.png, the picture in the README: ``python docs/make_images.py``."""

from pathlib import Path

from PIL import Image

from whot_env import Game
from whot_env.render.image import render_image

SEED, STEPS = 19, 8  # a seat that faces a debt and can answer it

if __name__ == "__main__":
    game = Game.new("arcade", num_players=4, seed=SEED)
    for _ in range(STEPS):
        plays = [name for name in game.legal() if name != "draw"]
        game.step(plays[0] if plays else "draw")
    path = Path(__file__).parent / "images" / "table.png"
    Image.fromarray(render_image(game.view(game.asked))).save(path, optimize=True)
