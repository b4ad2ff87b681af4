"""Kernels over many records: what ``Batch`` and ``Game`` call.

``rules`` is the RULES table, ``states`` STATE[B]; record i plays by ``rules[states[i].rules]``.
"""

from typing import Any

from whot_env.actions import NUM_ACTIONS
from whot_env.engine.choose import choose
from whot_env.engine.deal import deal_round, start_match
from whot_env.engine.events import end_game, leave, time_out
from whot_env.engine.hidden import redeal_hidden
from whot_env.engine.kernel import entry, kernel
from whot_env.engine.legal import (
    DECLARE,
    OVER,
    STACK,
    STRAIGHT,
    announcement_owed,
    asks_direction,
    extensions,
    is_legal,
    legal_actions,
    may_open,
)
from whot_env.engine.memory import fetch_ahead
from whot_env.engine.moves import take_step
from whot_env.engine.observe import write_observation
from whot_env.engine.random import GOLDEN, mix64, seed_game, unit
from whot_env.engine.results import settle_match, settle_round
from whot_env.engine.seats import next_active
from whot_env.engine.sets import bit, write_mask
from whot_env.engine.windows import answer_window

DONE, ILLEGAL, FINISHED, SKIPPED = range(4)
"""Status of a lane after a step: done; illegal, nothing changed; the match was over; not selected."""

TIMEOUT, LEAVE, END_GAME = range(3)


@kernel
def step_record(r: Any, s: Any, log: Any, action: int) -> int:
    """One action of the seat asked."""
    if s.phase == OVER:
        return FINISHED
    if not (0 <= action < NUM_ACTIONS and is_legal(r, s, action)):
        return ILLEGAL
    take_legal(r, s, log, action)
    return DONE


@kernel
def take_legal(r: Any, s: Any, log: Any, action: int) -> None:
    """An action that is known to be legal."""
    if s.phase <= DECLARE:
        take_step(r, s, log, action)
    else:
        answer_window(r, s, log, action)


@entry
def step_one(rules: Any, states: Any, index: int, log: Any, action: int) -> int:
    s = states[index]
    return step_record(rules[s.rules], s, log, action)


@entry
def event_one(rules: Any, states: Any, index: int, log: Any, event: int, seat: int) -> bool:
    s = states[index]
    r = rules[s.rules]
    if event == TIMEOUT:
        return time_out(r, s, log, seat)
    if event == LEAVE:
        return leave(r, s, log, seat)
    return end_game(r, s, log)


@entry
def seed_one(states: Any, seed: Any) -> None:
    """Seed the generator of record 0."""
    seed_game(states[0], seed)


@entry
def next_round_one(rules: Any, states: Any, index: int, log: Any) -> None:
    s = states[index]
    deal_round(rules[s.rules], s, log)


@entry
def settle_one(rules: Any, states: Any, index: int, log: Any) -> None:
    """Work out the results of a record that was read as finished."""
    s = states[index]
    settle_round(rules[s.rules], s)
    settle_match(rules[s.rules], s)


@entry
def step_batch(rules: Any, states: Any, actions: Any, select: Any, status: Any, log: Any) -> None:
    """Step the selected records; an undecided match is dealt its next round at once."""
    for i in range(len(states)):
        if not select[i]:
            status[i] = SKIPPED
            continue
        s = states[i]
        r = rules[s.rules]
        status[i] = step_record(r, s, log, actions[i])
        if s.phase == OVER and not s.match_over:
            deal_round(r, s, log)


@kernel
def _go_on(r: Any, s: Any, log: Any, rewards: Any) -> bool:
    """Deal where a round is over, and write the payoffs (else zeros) where a match is; whether one was."""
    ended = s.phase == OVER and s.match_over == 1
    for seat in range(len(rewards)):
        rewards[seat] = s.match_payoffs[seat] if ended else 0.0
    if ended:
        start_match(r, s, log)
    elif s.phase == OVER:
        deal_round(r, s, log)
    return ended


@entry
def advance_batch(
    rules: Any, states: Any, actions: Any, status: Any, observations: Any, masks: Any, rewards: Any, done: Any, log: Any
) -> None:
    """One action in every record, a new match where one ended, and what the seats asked next see: one pass."""
    for i in range(len(states)):
        fetch_ahead(states, i)
        s = states[i]
        r = rules[s.rules]
        status[i] = step_record(r, s, log, actions[i])
        done[i] = _go_on(r, s, log, rewards[i])
        write_observation(r, s, int(s.asked), observations[i])
        write_mask(legal_actions(r, s), masks[i])


@entry
def play_batch(
    rules: Any,
    states: Any,
    keys: Any,
    legal: Any,
    policy: int,
    steps: int,
    observations: Any,
    masks: Any,
    rewards: Any,
    done: Any,
    log: Any,
) -> None:
    """``advance_batch`` so many times over, with actions that a policy (see ``choose``) draws by ``keys`` uint64[B].

    ``legal``: uint64[B, 2], scratch for the sets of legal actions between two steps.
    """
    for i in range(len(states)):
        s = states[i]
        legal[i, 0], legal[i, 1] = legal_actions(rules[s.rules], s)
    for _ in range(steps):
        for i in range(len(states)):
            fetch_ahead(states, i)
            s = states[i]
            r = rules[s.rules]
            keys[i] += GOLDEN
            take_legal(r, s, log, choose(policy, (legal[i, 0], legal[i, 1]), unit(mix64(keys[i]))))
            done[i] = _go_on(r, s, log, rewards[i])
            write_observation(r, s, int(s.asked), observations[i])
            words = legal_actions(r, s)
            legal[i, 0], legal[i, 1] = words
            write_mask(words, masks[i])


@entry
def reset_batch(rules: Any, states: Any, select: Any, seeds: Any, reseed: bool, log: Any) -> None:
    """Start a new match in the selected records, seeded anew or with their generators going on."""
    for i in range(len(states)):
        if select[i]:
            s = states[i]
            if reseed:
                seed_game(s, seeds[i])
            start_match(rules[s.rules], s, log)


@entry
def legal_batch(rules: Any, states: Any, masks: Any) -> None:
    for i in range(len(states)):
        s = states[i]
        write_mask(legal_actions(rules[s.rules], s), masks[i])


@entry
def observe_batch(rules: Any, states: Any, seats: Any, out: Any) -> None:
    """``out``: ``LAYOUT.dtype`` [B]."""
    for i in range(len(states)):
        s = states[i]
        write_observation(rules[s.rules], s, int(seats[i]), out[i])


@entry
def redeal_batch(rules: Any, states: Any, seats: Any, seeds: Any) -> None:
    """Redeal in each record what its seat of ``seats`` cannot know."""
    for i in range(len(states)):
        s = states[i]
        redeal_hidden(rules[s.rules], s, int(seats[i]), seeds[i])


@entry
def next_seat(states: Any, seat: int) -> int:
    """The next active seat after ``seat`` in record 0."""
    return next_active(states[0], seat)


@entry
def move_possible(rules: Any, states: Any) -> bool:
    """Whether the cards of the move being built in record 0 may be laid, one after the other."""
    r = rules[0]
    s = states[0]
    laid = s.move_len
    possible = may_open(r, s, int(s.move_cards[0]))
    for k in range(1, laid):
        s.move_len = k
        possible = possible and extensions(r, s) & bit(int(s.move_cards[k])) != 0
    s.move_len = laid
    # Two cards are no straight, so the move cannot have gone on from there.
    return possible and not (r.multi_card == STRAIGHT and laid == 2 and s.phase != STACK)


@entry
def direction_asked(rules: Any, states: Any) -> bool:
    """Whether the move being built in record 0 may turn the direction."""
    return asks_direction(rules[0], states[0])


@entry
def declare_owed(rules: Any, states: Any) -> bool:
    """Whether the move being built in record 0 owes an announcement."""
    return announcement_owed(rules[0], states[0]) >= 0


@entry
def stack_open(rules: Any, states: Any) -> bool:
    """Whether the move being built in record 0 can be extended."""
    return extensions(rules[0], states[0]) != 0
