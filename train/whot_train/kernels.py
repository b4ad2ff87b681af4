"""Compiled loops of the training: choosing columns, drawing actions, advantages. No rule of the game is here."""

from typing import Any

import numpy as np
from numba import njit

Array = np.ndarray[Any, Any]


@njit(cache=True, nogil=True)
def take_columns(rows: Array, index: Array, out: Array) -> None:
    """``out[n, c] = rows[n, index[c]]``: int8[N, LAYOUT.size], int64[C] -> int8[N, C]."""
    for n in range(rows.shape[0]):
        for c in range(index.shape[0]):
            out[n, c] = rows[n, index[c]]


@njit(cache=True, nogil=True)
def take_others(hands: Array, seat: Array, players: Array, out: Array) -> None:
    """The hands of the other seats, clockwise from ``seat``: int8[N, 8, K], int8[N], int8[N] -> int8[N, S * K].

    Places of seats that are not at a table are 0.
    """
    size = hands.shape[2]
    for n in range(hands.shape[0]):
        for k in range(out.shape[1] // size):
            other = (seat[n] + 1 + k) % players[n]
            for card in range(size):
                out[n, k * size + card] = hands[n, other, card] if k + 1 < players[n] else 0


@njit(cache=True, nogil=True)
def sample(logits: Array, mask: Array, uniform: Array, actions: Array, log_prob: Array) -> None:
    """Draw one legal action a row from the softmax of its legal logits.

    Only legal logits are read, so whatever the network says about the others cannot leak into a probability.

    Args:
        logits: float32[N, A].
        mask: int8[N, A]; a row without a legal action gets action 0 and log-probability 0.
        uniform: float64[N] in [0, 1).
        actions: int64[N], written.
        log_prob: float32[N], written: natural logarithm of the drawn action's probability.
    """
    for n in range(logits.shape[0]):
        top = -np.inf
        for a in range(logits.shape[1]):
            if mask[n, a] and logits[n, a] > top:
                top = logits[n, a]
        total = 0.0
        for a in range(logits.shape[1]):
            if mask[n, a]:
                total += np.exp(logits[n, a] - top)
        left, choice = uniform[n] * total, -1
        for a in range(logits.shape[1]):
            if mask[n, a]:
                choice = a  # the last legal action takes what rounding leaves
                left -= np.exp(logits[n, a] - top)
                if left < 0:
                    break
        actions[n] = max(choice, 0)
        log_prob[n] = logits[n, choice] - top - np.log(total) if choice >= 0 else 0.0


GOES_ON, OVER, CUT = 0, 1, 2
"""What a step did to its game: nothing, ended it (payoffs are known), or it was cut (they never will be)."""


@njit(cache=True, nogil=True)
def advantages(
    seat: Array, learn: Array, ended: Array, payoffs: Array, values: Array, lam: float, advantage: Array, target: Array
) -> Array:
    """Generalised advantages with γ = 1, each seat's decisions forming a trajectory of their own.

    A seat's last decision before the data ends (or its game is cut) has no successor: its value only serves the
    decision before it, and it is not learned from.

    Args:
        seat: int8[T, N], who decided. learn: bool[T, N], whether the network did.
        ended: int8[T, N], one of the constants above, after the decision. payoffs: float32[T, N, 8], read where over.
        values: float32[T, N]. lam: λ.
        advantage, target: float32[T, N], written where the result is true; target is the value's aim.

    Returns:
        bool[T, N]: decisions to learn from.
    """
    steps, lanes = seat.shape
    keep = np.zeros((steps, lanes), np.bool_)
    next_value, next_advantage = np.zeros(8), np.zeros(8)
    known = np.zeros(8, np.bool_)
    for n in range(lanes):
        known[:] = False
        for t in range(steps - 1, -1, -1):
            if ended[t, n] == OVER:
                next_value[:] = payoffs[t, n]
                next_advantage[:] = 0.0
                known[:] = True
            elif ended[t, n] == CUT:
                known[:] = False
            if not learn[t, n]:
                continue
            s = seat[t, n]
            if known[s]:
                next_advantage[s] = next_value[s] - values[t, n] + lam * next_advantage[s]
                advantage[t, n] = next_advantage[s]
                target[t, n] = next_advantage[s] + values[t, n]
                keep[t, n] = True
            else:
                next_advantage[s] = 0.0
                known[s] = True
            next_value[s] = values[t, n]
    return keep
