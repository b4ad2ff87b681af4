"""``heuristic``: the rule pages' own advice as a policy, with one look through the own turn.

It sheds high cards, chains the specials that return the turn, keeps picks for defence and Whots for when it is stuck,
hits a seat that is close to winning, calls what it holds and what the next seat declined, always announces and always
catches. Which numbers are special it reads from the observation, so it plays every table.
"""

import numpy as np

from whot_agents.base import Array
from whot_agents.compiled import entry, kernel
from whot_agents.heuristic_turn import MAX_OPTIONS, SAME_NUMBER, list_options, move_value, run_length
from whot_agents.heuristic_value import (
    MOVE_CALL,
    MOVE_LAST,
    NUM_SHAPES,
    NUMBERS,
    PHASE,
    PLACES,
    Table,
    Weights,
    first_of,
    read_debt,
    read_hand,
    read_table,
    top_code,
    value,
)
from whot_env.actions import (
    CALL,
    CATCH,
    CHECK_UP,
    DRAW,
    END,
    KNOCK,
    LAST_CARD,
    MISS,
    NUM_ACTIONS,
    PASS,
    PLAY_ON,
    REVERSE,
    STAR_DOUBLE,
)
from whot_env.cards import CARD_ID, CARD_NUMBER, CARD_SHAPE, NUM_CARDS, SHAPES, STAR_NUMBERS, WHOT
from whot_env.errors import WhotError
from whot_env.state import PHASES

_STAR = SHAPES.index("star")
_STARS = np.array([CARD_ID[f"star-{n}"] for n in STAR_NUMBERS])
_NUMBER = CARD_NUMBER.astype(np.int64)
_SHAPE = CARD_SHAPE.astype(np.int64)
_CODE = np.where(np.arange(NUM_CARDS) == WHOT, NUM_SHAPES * NUMBERS, _SHAPE * NUMBERS + _NUMBER)
_PLAY, _STACK, _CALL = (PHASES.index(name) for name in ("play", "stack", "call"))
_NUM_PHASES = len(PHASES)

_CALM = np.zeros(NUM_ACTIONS)
"""float64[76]: worth of what needs no thought. Announcing and catching come before a move; a knock costs nothing and
takes the second thought away from the other seat; an undo would leave known what was shown."""
_CALM[[LAST_CARD, CHECK_UP]] = 1e6
_CALM[CATCH] = 1e6 - 1
_CALM[KNOCK] = 2
_CALM[PASS] = 1


TUNED = Weights(
    card=0.75,
    near=0.83,
    cover=0.9,
    cover_near=0.37,
    threat=1.13,
    threat_power=0.51,
    deny=0.25,
    deny_near=1.75,
    whot=0.39,
    pick=0.1,
    again=0.11,
    link=0.115,
    points=0.003,
    trust=0.85,
    risk=0.33,
    unknown=0.27,
)
"""Found by four generations of the cross-entropy method from ``Weights()``: 20 candidates a generation, 6 kept, each
judged by 1,000 paired games at two seats of ``nigerian`` and of ``naija_whot`` against ``playful`` and, counted
0.6 times, as many against ``Weights()``; deal seeds from 10,000,000 on."""


class HeuristicAgent:
    """Plays by ``Weights``, without chance: equal observations get equal actions.

    Args:
        weights: what it cares for.
        depth: own moves looked at beyond the first while the turn comes back, at least 1.
        name: what tables call it.

    Raises:
        WhotError: ``depth`` is below 1.
    """

    def __init__(self, weights: Weights | None = None, depth: int = 4, name: str = "heuristic") -> None:
        if depth < 1:
            raise WhotError("depth", f"depth is {depth}; allowed: 1 or more")
        self.weights = weights or TUNED
        self.depth = depth
        self.name = name

    def act(self, observation: Array, action_mask: Array, rng: np.random.Generator) -> Array:
        """int64[N] legal actions; see ``BatchAgent.act``. ``rng`` is not used."""
        return self.scores(observation, action_mask).argmax(axis=1)

    def scores(self, observation: Array, action_mask: Array) -> Array:
        """float64[N, 76]: the worth of each legal action, -inf elsewhere; not worked out where only one is legal."""
        scores = np.empty((len(observation), NUM_ACTIONS))
        weights = Weights(*map(float, self.weights))  # one type for the compiled code
        _score_all(np.ascontiguousarray(observation), action_mask, PLACES, weights, self.depth, scores)
        return scores


def make_heuristic() -> HeuristicAgent:
    """The heuristic with its tuned weights; environments know it by the name ``heuristic``."""
    return HeuristicAgent()


@entry
def _score_all(observation: Array, mask: Array, at: Array, w: Weights, depth: int, scores: Array) -> None:
    for lane in range(len(observation)):
        score = scores[lane]
        legal = 0
        for a in range(NUM_ACTIONS):
            score[a] = _CALM[a] if mask[lane, a] else -np.inf
            legal += mask[lane, a]
        if legal > 1:
            _score_lane(observation[lane], mask[lane], at, w, depth, score)


@kernel
def _score_lane(obs: Array, mask: Array, at: Array, w: Weights, depth: int, score: Array) -> None:
    phase = first_of(obs, at[PHASE], _NUM_PHASES)
    t = read_table(obs, at)
    hand, move = np.empty(NUM_CARDS), np.empty(NUM_CARDS)
    read_hand(obs, at, hand, move)
    debt = read_debt(obs, at)
    if phase == _PLAY:
        _score_play(t, hand, move, debt, top_code(obs, at), mask, w, depth, score)
    elif phase == _STACK:
        _score_stack(t, hand, move, debt, first_of(obs, at[MOVE_LAST], NUM_CARDS), mask, w, depth, score)
    elif phase == _CALL:
        for shape in range(NUM_SHAPES):
            if mask[CALL + shape]:
                code = shape * NUMBERS
                score[CALL + shape] = move_value(t, hand, debt, move, WHOT, code, w, depth)
    else:
        _score_choices(t, hand, first_of(obs, at[MOVE_CALL], NUM_SHAPES), mask, score)


@kernel
def _score_play(
    t: Table, hand: Array, move: Array, debt: float, top: int, mask: Array, w: Weights, depth: int, score: Array
) -> None:
    if mask[DRAW]:
        score[DRAW] = value(t, hand, max(debt, 1.0), t.cards, top, 0.0, 0, w)
    for card in range(NUM_CARDS):
        if mask[card]:
            score[card] = _best(t, hand, move, debt, card, w, depth)
    for i in range(len(_STARS)):
        if mask[STAR_DOUBLE + i]:
            star = _STARS[i]
            laid = np.zeros(NUM_CARDS)
            laid[star] = 1
            hand[star] -= 1
            code = int(_STAR * NUMBERS + 2 * _NUMBER[star])
            score[STAR_DOUBLE + i] = move_value(t, hand, debt, laid, star, code, w, depth)
            hand[star] += 1


@kernel
def _best(t: Table, hand: Array, move: Array, debt: float, card: int, w: Weights, depth: int) -> float:
    """Worth of the best move that goes on with ``card`` after the cards in ``move``."""
    laid = np.empty((MAX_OPTIONS, NUM_CARDS))
    last = np.empty(len(laid), np.int64)
    code = np.empty(len(laid), np.int64)
    best = -np.inf
    for i in range(list_options(t, hand, card, laid, last, code)):
        hand -= laid[i]
        worth = move_value(t, hand, debt, laid[i] + move, last[i], code[i], w, depth)
        hand += laid[i]
        best = max(best, worth)
    return best


@kernel
def _score_stack(
    t: Table, hand: Array, move: Array, debt: float, top: int, mask: Array, w: Weights, depth: int, score: Array
) -> None:
    for card in range(NUM_CARDS):
        if not mask[card]:
            continue
        if t.multi_card == SAME_NUMBER:
            score[card] = _best(t, hand, move, debt, card, w, depth)
        else:  # the straight so far has fixed which way its numbers go
            laid = np.zeros(NUM_CARDS)
            last = run_length(hand, card, _NUMBER[card] - _NUMBER[top], laid)
            hand -= laid
            score[card] = move_value(t, hand, debt, laid + move, last, _CODE[last], w, depth)
            hand += laid
    if mask[END]:
        if top == WHOT:
            for shape in range(NUM_SHAPES):
                worth = move_value(t, hand, debt, move, top, shape * NUMBERS, w, depth)
                score[END] = max(score[END], worth)
        else:
            score[END] = move_value(t, hand, debt, move, top, _CODE[top], w, depth)


@kernel
def _score_choices(t: Table, hand: Array, called: int, mask: Array, score: Array) -> None:
    """Power, direction and vote, by the other seats' cards; the other windows need no thought."""
    if t.others == 0:
        return
    following, previous = t.cards[t.order[0]], t.cards[t.order[t.others - 1]]
    if mask[MISS]:
        # The next to move should be the seat furthest from winning; at two seats a miss returns the turn.
        if t.others == 1:
            held = hand[WHOT]
            for c in range(WHOT):
                held += hand[c] if _SHAPE[c] == called else 0.0
            score[MISS] = 1.0 if held > 0 else -1.0
        else:
            score[MISS] = t.cards[t.order[1]] - following + 0.5
        score[REVERSE] = previous - following
    elif mask[REVERSE]:
        score[REVERSE] = following - previous  # a debt should go to the seat that is closer to winning
    if mask[PLAY_ON]:
        # Going on pays for a seat that is ahead of all the others still playing.
        ahead = True
        for i in range(t.others):
            ahead = ahead and t.cards[0] <= t.cards[t.order[i]]
        score[PLAY_ON] = 1.0 if ahead else -1.0
