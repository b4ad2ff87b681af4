"""What whot-env brings to the benchmarks. All play ``naija_whot`` for two and choose uniformly among legal actions."""

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
from measure import Contender, Rate, rate_of

from whot_env import Game, whot_v0
from whot_env.batch import Batch
from whot_env.bench import decisions_per_second
from whot_env.observation import LAYOUT
from whot_env.registration import register_gymnasium

RULES, SEATS, LANES = "naija_whot", 2, 1024
EVERYTHING = "observation, mask, reward, reset"


def uniform(mask: Any, rng: np.random.Generator) -> Any:
    """int64[B]: one of the marked actions of each row."""
    marked = np.cumsum(mask, axis=1, dtype=np.int8)
    wanted = (rng.random(len(mask)) * marked[:, -1]).astype(np.int8)
    return (marked > wanted[:, None]).argmax(axis=1)


def _engine(threads: int) -> Callable[[], Rate]:
    def make() -> Rate:
        return lambda seconds: decisions_per_second(RULES, SEATS, 4096, seconds, threads, "uniform")

    return make


def _game() -> Rate:
    rng = np.random.default_rng(0)
    game, seed = Game.new(RULES, SEATS, seed=0), 0

    def play() -> int:
        nonlocal game, seed
        for u in rng.random(200).tolist():
            if game.over:
                seed += 1
                game = Game.new(RULES, SEATS, seed=seed)
            legal = game.legal()
            game.step(legal[int(u * len(legal))])
        return 200

    return rate_of(play)


def _one_lane() -> Rate:
    rng, batch = np.random.default_rng(0), Batch(RULES, SEATS, 1)
    observation, mask = batch.observe(), batch.action_mask()

    def play() -> int:
        for u in rng.random(200).tolist():
            legal = mask[0].nonzero()[0]
            batch.step(legal[int(u * len(legal)) :][:1])
            if batch.over[0]:
                batch.reset()
            batch.observe(out=observation)
            batch.action_mask(mask)
        return 200

    return rate_of(play)


def agent_loop(make_env: Callable[[], Any]) -> Rate:
    """PettingZoo's loop as its documentation has it, in the environment that ``make_env`` makes: ours or a peer's."""
    rng, env = np.random.default_rng(0), make_env()
    env.reset(seed=0)

    def play() -> int:
        decisions, chances = 0, rng.random(200).tolist()
        for _agent in env.agent_iter():
            observation, _reward, terminated, truncated, _info = env.last()
            if terminated or truncated:
                env.step(None)
                continue
            legal = observation["action_mask"].nonzero()[0]
            env.step(int(legal[int(chances[decisions] * len(legal))]))
            decisions += 1
            if decisions == len(chances):
                return decisions
        env.reset()
        return decisions

    return rate_of(play)


def _choices(env: Any) -> int:
    """What the opponents have decided so far: uniform ones draw one number for each decision, and nothing else does
    where the learner's seat is fixed."""
    return int(env._lanes._random.counters.sum())


def _gymnasium() -> Rate:
    register_gymnasium()
    env: Any = gymnasium.make_vec(
        "Whot-v0", num_envs=LANES, vectorization_mode="vector_entry_point",
        rules=RULES, num_players=SEATS, opponents="uniform", seat=0,
    )  # fmt: skip
    rng = np.random.default_rng(0)
    mask = env.reset(seed=0)[1]["action_mask"]

    def play() -> int:
        nonlocal mask
        before, live = _choices(env.unwrapped), mask.any(axis=1).sum()  # a lane that is over ignores its action
        _, _, _, _, info = env.step(uniform(mask, rng))
        mask = info["action_mask"]
        return int(live) + _choices(env.unwrapped) - before

    return rate_of(play)


def _sb3() -> Rate:
    from whot_env.envs.sb3 import WhotVecEnv

    env = WhotVecEnv(LANES, RULES, SEATS, opponents="uniform", seed=0, seat=0)
    rng = np.random.default_rng(0)
    env.reset()

    def play() -> int:
        before = _choices(env)
        env.step(uniform(env.action_masks(), rng))
        return LANES + _choices(env) - before

    return rate_of(play)


def row_writes() -> Rate:
    """Rows of our observation's size, copied by NumPy: what writing alone would allow."""
    rows = np.zeros((4096, LAYOUT.size), np.int8)
    out = np.zeros_like(rows)

    def play() -> int:
        np.copyto(out, rows)
        return len(rows)

    return rate_of(play)


ENGINE = Contender("whot-env batch engine", EVERYTHING, _engine(1))
GAME = Contender("whot-env `Game`, legal actions by name", "log", _game)
ONE_LANE = Contender("whot-env `Batch` of one game", "observation, mask", _one_lane)
ENV = Contender(
    "whot-env `env()`", "observation, mask", lambda: agent_loop(lambda: whot_v0.env(rules=RULES, num_players=SEATS))
)
RAW_ENV = Contender(
    "whot-env `raw_env()`",
    "observation, mask",
    lambda: agent_loop(lambda: whot_v0.raw_env(rules=RULES, num_players=SEATS)),
)
GYMNASIUM = Contender("whot-env Gymnasium vector, 1,024 games", EVERYTHING, _gymnasium)
SB3 = Contender("whot-env SB3 `VecEnv`, 1,024 games", EVERYTHING, _sb3)
