"""``heuristic``: the rule pages' own advice as a policy, with one look through the own turn.

It sheds high cards, chains the specials that return the turn, keeps picks for defence and Whots for when it is stuck,
hits a seat that is close to winning, calls what it holds and what the next seat declined, always announces and always
catches. Which numbers are special it reads from the observation, so it plays every table.
"""

from dataclasses import replace

import numpy as np

from whot_agents.base import Array
from whot_agents.heuristic_table import CARD_CODE, SEATS, Table, read_table, top_code
from whot_agents.heuristic_turn import Moves, call_each, continue_run, draw_values, move_values, moves_from
from whot_agents.heuristic_value import Nodes, Weights
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
from whot_env.observation import LAYOUT
from whot_env.state import PHASES

_STARS = np.array([CARD_ID[f"star-{n}"] for n in STAR_NUMBERS])
_PLAY, _STACK, _CALL, _POWER, _DIRECTION, _VOTE = (
    PHASES.index(name) for name in ("play", "stack", "call", "power", "direction", "vote")
)
_FIRST = 10_000.0
"""Worth of what is done before anything else: announcing, and catching a seat that did not."""


class HeuristicAgent:
    """Plays by ``Weights``, without chance: equal observations get equal actions.

    Args:
        weights: what it cares for.
        depth: own moves looked at beyond the first, while the turn comes back.
        name: what tables call it.
    """

    def __init__(self, weights: Weights | None = None, depth: int = 3, name: str = "heuristic") -> None:
        self.weights = weights or Weights()
        self.depth = depth
        self.name = name

    def act(self, observation: Array, action_mask: Array, rng: np.random.Generator) -> Array:
        """int64[N] legal actions; see ``BatchAgent.act``. ``rng`` is not used."""
        scores = self.scores(observation, action_mask)
        return np.where(action_mask > 0, scores, -np.inf).argmax(axis=1)

    def scores(self, observation: Array, action_mask: Array) -> Array:
        """float64[N, 76]: the worth of each legal action, -inf elsewhere."""
        scores = np.zeros((len(observation), NUM_ACTIONS))
        scores[:, [LAST_CARD, CHECK_UP]] = _FIRST
        scores[:, CATCH] = _FIRST - 1
        scores[:, KNOCK] = 2  # costs nothing, and takes the second thought away from the other seat
        scores[:, PASS] = 1  # above undo: what was shown would stay known
        phase = LAYOUT.view(observation, "phase").argmax(axis=1)
        _score_choices(observation, phase, scores)
        for number, score in ((_PLAY, self._play), (_STACK, self._stack), (_CALL, self._call)):
            lanes = np.flatnonzero(phase == number)
            if len(lanes):
                scores[lanes] += score(observation[lanes], action_mask[lanes])
        return np.where(action_mask > 0, scores, -np.inf)

    def _play(self, observation: Array, action_mask: Array) -> Array:
        table, nodes = _root(observation)
        scores = np.zeros(action_mask.shape)
        row, action = np.nonzero(action_mask[:, :DRAW])
        doubled = action >= STAR_DOUBLE
        card = np.where(doubled, _STARS[np.where(doubled, action - STAR_DOUBLE, 0)], action)
        moves = moves_from(table, nodes, row[~doubled], card[~doubled])
        moves.choice = np.flatnonzero(~doubled)[moves.choice]
        stars = card[doubled]
        code = top_code(CARD_SHAPE[stars].astype(np.int64), 2 * CARD_NUMBER[stars])
        as_double = Moves(row[doubled], np.flatnonzero(doubled), np.eye(NUM_CARDS, dtype=np.float32)[stars], stars, code)
        best = self._best(table, nodes, Moves.join([moves, as_double]), len(row), table.move)
        scores[row, action] = best
        scores[:, DRAW] = draw_values(table, nodes, self.weights)
        return scores

    def _stack(self, observation: Array, action_mask: Array) -> Array:
        table, nodes = _root(observation)
        scores = np.zeros(action_mask.shape)
        last = LAYOUT.view(observation, "move_last").argmax(axis=1)
        row, card = np.nonzero(action_mask[:, :NUM_CARDS])
        moves = moves_from(table, nodes, row, card)
        # In a straight the move so far has fixed which way the numbers go.
        straight = table.rule("multi_card")[moves.row] == 2
        runs = moves.take(straight)
        step = np.sign(CARD_NUMBER[card[runs.choice]].astype(np.int64) - CARD_NUMBER[last[runs.row]])
        runs.laid = np.eye(NUM_CARDS, dtype=np.float32)[card[runs.choice]]
        runs.last = card[runs.choice]
        moves = Moves.join([moves.take(~straight), continue_run(nodes, runs, step)])
        scores[row, card] = self._best(table, nodes, moves, len(row), table.move)
        rows = np.arange(len(last))
        ended = Moves(rows, rows, np.zeros_like(table.move), last, CARD_CODE[last])
        scores[:, END] = self._best(table, nodes, call_each(ended), len(rows), table.move)
        return scores

    def _call(self, observation: Array, action_mask: Array) -> Array:
        table, nodes = _root(observation)
        scores = np.zeros(action_mask.shape)
        row, shape = np.nonzero(action_mask[:, CALL : CALL + len(SHAPES)])
        whot = np.full(len(row), WHOT)
        nothing = np.zeros((len(row), NUM_CARDS), np.float32)
        moves = Moves(row, np.arange(len(row)), nothing, whot, top_code(shape, 0))
        scores[row, CALL + shape] = self._best(table, nodes, moves, len(row), table.move)
        return scores

    def _best(self, table: Table, nodes: Nodes, moves: Moves, choices: int, laid: Array) -> Array:
        """float32[choices]: worth of the best move that begins with each choice."""
        best = np.full(choices, -np.inf, np.float32)
        values = move_values(table, nodes, moves, laid[moves.row], self.weights, self.depth)
        np.maximum.at(best, moves.choice, values)
        return best


def _root(observation: Array) -> tuple[Table, Nodes]:
    table = read_table(observation)
    n = len(observation)
    nodes = Nodes(np.arange(n), table.hand, np.zeros(n, np.float32), table.cards, table.code, table.debt)
    return table, nodes


def _score_choices(observation: Array, phase: Array, scores: Array) -> None:
    """Power, direction and vote, by the other seats' cards."""
    lanes = np.flatnonzero(np.isin(phase, (_POWER, _DIRECTION, _VOTE)))
    if not len(lanes):
        return
    table = read_table(observation[lanes])
    rows = np.arange(len(lanes))
    others = np.maximum(table.others, 1)
    cards = np.take_along_axis(table.cards, table.order, axis=1)
    following, second, previous = cards[:, 0], cards[rows, np.minimum(1, others - 1)], cards[rows, others - 1]

    # A debt should go to the seat that is closer to winning.
    direction = phase[lanes] == _DIRECTION
    scores[lanes[direction], REVERSE] = np.sign(following - previous)[direction]

    # The next to move should be the seat that is furthest from winning; at two seats a miss returns the turn.
    power = phase[lanes] == _POWER
    shape = LAYOUT.view(observation[lanes], "move_call").argmax(axis=1)
    held = table.hand[:, WHOT] + (table.hand * (CARD_SHAPE[None, :] == shape[:, None])).sum(axis=1)
    miss = np.where(others == 1, np.where(held > 0, 1, -1), second - following)
    scores[lanes[power], MISS] = miss[power] + 0.5
    scores[lanes[power], REVERSE] = (previous - following)[power]

    # Going on pays for a seat that is ahead of all the others still playing.
    vote = phase[lanes] == _VOTE
    fewest = np.where(np.arange(SEATS) < others[:, None], cards, np.inf).min(axis=1)
    scores[lanes[vote], PLAY_ON] = np.where(table.cards[:, 0] <= fewest, 1, -1)[vote]


def make_heuristic() -> HeuristicAgent:
    """The heuristic with its tuned weights; environments know it by the name ``heuristic``."""
    return HeuristicAgent()
