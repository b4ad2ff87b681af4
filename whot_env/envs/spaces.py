"""The spaces that the environments share. Each call makes a new one, so that seeding one leaves the others alone."""

import numpy as np
from gymnasium import spaces

from whot_env.actions import NUM_ACTIONS
from whot_env.observation import LAYOUT


def observation_box() -> "spaces.Box[np.int8]":
    """int8[LAYOUT.size]."""
    return spaces.Box(-128, 127, (LAYOUT.size,), np.int8)


def action_space() -> spaces.Discrete:
    """The 76 actions."""
    return spaces.Discrete(NUM_ACTIONS)


def masked_observation() -> spaces.Dict:
    """``observation`` int8[LAYOUT.size] and ``action_mask`` int8[76], as PettingZoo names them."""
    return spaces.Dict({"observation": observation_box(), "action_mask": spaces.Box(0, 1, (NUM_ACTIONS,), np.int8)})


def state_box(num_players: int) -> spaces.Box:
    """int8[num_players, LAYOUT.size]: what all seats see, together the whole table."""
    return spaces.Box(-128, 127, (num_players, LAYOUT.size), np.int8)
