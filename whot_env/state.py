"""``STATE``: one record is one whole game, every field with its shape, unit and sentinel (rules section 6).

Seats are absolute; a seat list such as ``out`` is filled from the left, its length in ``out_len``.
"""

import numpy as np

from whot_env.cards import NUM_CARDS
from whot_env.rules import MAX_SEATS

PHASES = ("play", "stack", "call", "power", "direction", "declare", "proposal", "react", "vote", "over")
"""Phase names; the index is the phase's number in ``STATE`` and in the observation."""

POWERS = ("plain", "reverse", "miss")

MAX_CARDS = 108
"""Cards of two decks: the market and the pile hold at most so many."""

MAX_LAID = 12
"""Cards that one move can lay at most, with room to spare: ten of one number in two decks, a straight of five."""

MAX_OWED = 66
"""Missed announcements that can be waiting for the next move of another seat: more than a deck lets anyone miss, and a
number that leaves the record without padding, so that equal games are equal to the byte."""

MAX_COUNT = 30_000
"""Where debt, recycled, rounds and wins stop counting: far beyond what a table can tell apart, and within int16."""

MAX_TOTAL = (1 << 30) - 1
"""Where moves and totals stop counting: within int32, and below the sums that place a seat which left."""

HISTORY = 8
"""Public moves kept; a power of two."""

MOVE_SHAPE, MOVE_NUMBER, MOVE_LAID, MOVE_CALL, MOVE_DRAWN, MOVE_WIDTH = 1, 7, 8, 9, 14, 15
"""Columns of a move in the history, as the observation shows them: the last card's shape (one-hot, 6) and number, cards
laid, call (one-hot, 5), cards drawn."""

NONE = -1
"""Sentinel of every field that names a shape, a power or a seat and has none."""

NO_TIME = -1.0
"""Sentinel of a reaction time that is not there."""

_I1, _I2, _I4, _U8, _F8 = np.int8, np.int16, np.int32, np.uint64, np.float64

STATE = np.dtype(
    [
        # What nearly every step reads or writes comes first, so that it shares cache lines.
        # The counter generator: the n-th value of a game depends on its key and n alone.
        ("key", _U8),
        ("counter", _U8),
        ("pressed", _F8, (MAX_SEATS,)),  # counted times of the presses in this react window, seconds; NO_TIME
        ("totals", _I4, (MAX_SEATS,)),  # sums added up over the rounds
        ("moves", _I4),  # completed this round
        ("rules", _I2),  # row of the RULES table
        ("debt", _I2),  # cards owed by the seat to move
        ("market_len", _I2),
        ("pile_len", _I2),
        ("recycled", _I2),  # times the pile became the market this round
        ("rounds", _I2),  # completed
        ("num_players", _I1),
        ("phase", _I1),  # index into PHASES
        ("turn", _I1),
        ("asked", _I1),
        ("direction", _I1),  # 1 clockwise, -1
        ("called", _I1),  # shape, NONE
        ("top_number", _I1),  # number by which the top is matched
        ("move_len", _I1),
        ("move_call", _I1),  # shape, NONE
        ("move_power", _I1),  # index into POWERS, NONE
        ("move_turned", _I1),  # 0, 1
        ("move_declared", _I1),  # 0 passed, 1 said, NONE
        ("queue_len", _I1),
        ("owes_len", _I1),
        ("undos", _I1),
        ("out_len", _I1),
        ("left_len", _I1),
        ("eliminated_len", _I1),
        ("match_over", _I1),  # 0, 1
        ("counting", _I1),  # 1: the market ran dry in a way that ends the round when this step is done
        ("caller", _I1),  # seat whose announcement this react window is about, NONE
        ("shown", _I1),  # 0: ``known`` is all zero; 1: it may hold cards
        ("hand_size", _I1, (MAX_SEATS,)),
        ("active", _I1, (MAX_SEATS,)),  # 1: dealt in, not out, not left
        ("open_calls", _I1, (MAX_SEATS,)),  # 0, 1
        ("votes", _I1, (MAX_SEATS,)),  # 1 play on, 0 stop, NONE
        ("wins", _I2, (MAX_SEATS,)),  # rounds won alone
        ("move_cards", _I1, (MAX_LAID,)),  # action ids, in the order laid
        ("history", _I1, (HISTORY, MOVE_WIDTH)),  # a ring of public moves, each: seat + 1 (0: none), columns
        ("newest", _I1),  # row of ``history`` with the last move; older ones follow
        ("declined_shapes", _I1, (MAX_SEATS, 5)),  # 0 never, else 1 + cards drawn since
        ("declined_numbers", _I1, (MAX_SEATS, 16)),
        ("piled", _I1, (NUM_CARDS,)),  # the pile's cards, counts by card id
        ("pile", _I1, (MAX_CARDS,)),  # card ids; the last one is the top
        ("hands", _I1, (MAX_SEATS, NUM_CARDS)),  # counts by card id
        ("market", _I1, (MAX_CARDS,)),  # card ids; the LAST one is drawn next
        ("known", _I1, (MAX_SEATS, NUM_CARDS)),  # cards in each hand that all have seen
        ("first", _I1),  # seat that moved first this round, NONE if not known
        ("queue", _I1, (MAX_SEATS,)),  # seats still to be asked in this window
        ("owes", _I1, (MAX_OWED,)),  # seats, one entry for each missed announcement, in the order they arose
        ("out", _I1, (MAX_SEATS,)),
        ("left", _I1, (MAX_SEATS,)),
        ("eliminated", _I1, (MAX_SEATS,)),
        ("winners", _I1, (MAX_SEATS,)),  # 0, 1
        ("places", _I1, (MAX_SEATS,)),  # 1 = first; 0 = not in this round
        ("match_winners", _I1, (MAX_SEATS,)),
        ("match_places", _I1, (MAX_SEATS,)),
        # Results of the round and of the match; valid once phase is over (match: once match_over).
        ("sums", _I4, (MAX_SEATS,)),  # the hands' numbers added up
        ("forced", _F8, (MAX_SEATS,)),  # raw reaction times given from outside, seconds, kept until used; NO_TIME
        ("payoffs", _F8, (MAX_SEATS,)),
        ("match_payoffs", _F8, (MAX_SEATS,)),
    ],
    align=True,
)
"""One game."""
