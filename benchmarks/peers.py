"""The peers, each as fast as its own documentation makes it. All choose uniformly among legal actions."""

import random
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from measure import Contender, Rate, calibration, rate_of
from ours import agent_loop, row_writes


def _open_spiel(observe: bool) -> Callable[[], Rate]:
    def make() -> Rate:
        import pyspiel
        from open_spiel.python.observation import make_observation

        game = pyspiel.load_game("crazy_eights(players=2)")
        seen, choose = make_observation(game), random.Random(0).choice
        state = game.new_initial_state()

        def play() -> int:
            nonlocal state
            decisions = 0
            while decisions < 200:
                if state.is_terminal():
                    state = game.new_initial_state()
                # Each outcome of its chance nodes (deals and draws) is equally likely, so that one choice serves both.
                chance = state.is_chance_node()
                state.apply_action(choose(state.legal_actions()))
                decisions += not chance
                if observe and not state.is_terminal() and not state.is_chance_node():
                    seen.set_from(state, state.current_player())
            return decisions

        return rate_of(play)

    return make


def _open_spiel_native() -> Rate:
    """Whole games in C++: ``evaluate_bots`` with two uniform bots."""
    import pyspiel

    game = pyspiel.load_game("crazy_eights(players=2)")
    bots = [pyspiel.make_uniform_random_bot(seat, seat) for seat in range(2)]
    seeds = iter(range(1 << 31))

    def rate(seconds: float) -> float:
        decisions, spent = 0, 0.0
        while spent < seconds:
            start = time.perf_counter()
            states = [game.new_initial_state() for _ in range(20)]
            for state in states:
                pyspiel.evaluate_bots(state, bots, next(seeds))
            spent += time.perf_counter() - start
            # Counted off the clock, because only Python can ask which steps were chance.
            decisions += sum(step.player >= 0 for state in states for step in state.full_history())
        return decisions / spent

    return rate


def _pgx() -> Rate:
    import jax
    import jax.numpy as jnp
    import pgx
    from pgx.experimental import auto_reset

    lanes, steps = 4096, 50
    env = pgx.make("leduc_holdem")
    step = jax.vmap(auto_reset(env.step, env.init))

    def decide(carry: Any, _: None) -> tuple[Any, None]:
        state, key = carry
        key, draw, reset = jax.random.split(key, 3)
        action = jax.random.categorical(draw, jnp.log(state.legal_action_mask.astype(jnp.float32)), axis=-1)
        return (step(state, action, jax.random.split(reset, lanes)), key), None

    decide_many = jax.jit(lambda carry: jax.lax.scan(decide, carry, None, length=steps)[0])
    carry = jax.vmap(env.init)(jax.random.split(jax.random.PRNGKey(0), lanes)), jax.random.PRNGKey(1)
    carry = jax.block_until_ready(decide_many(carry))  # compiles

    def play() -> int:
        nonlocal carry
        carry = jax.block_until_ready(decide_many(carry))
        return lanes * steps

    return rate_of(play)


def _envpool() -> Rate:
    import envpool

    lanes = 4096
    env = envpool.make("Blackjack-v1", env_type="gymnasium", num_envs=lanes, num_threads=2, seed=0)
    rng, over = np.random.default_rng(0), np.zeros(lanes, np.bool_)
    env.reset()

    def play() -> int:
        nonlocal over
        live = lanes - int(over.sum())  # a game that is over is reset by the next step, which ignores its action
        _, _, terminated, truncated, _ = env.step(rng.integers(0, 2, lanes))
        over = terminated | truncated
        return live

    return rate_of(play)


def _rlcard() -> Rate:
    import rlcard

    env, choose = rlcard.make("uno", config={"seed": 0}), random.Random(0).choice
    state = env.reset()[0]

    def play() -> int:
        nonlocal state
        for _ in range(200):
            state, _ = env.step(choose(list(state["legal_actions"])))
            if env.is_over():
                state = env.reset()[0]
        return 200

    return rate_of(play)


def _classic(module: str, constructor: str) -> Callable[[], Rate]:
    def make() -> Rate:
        import importlib

        return agent_loop(getattr(importlib.import_module(f"pettingzoo.classic.{module}"), constructor))

    return make


SPIEL_BARE = Contender("OpenSpiel crazy_eights, Python", "nothing; legal actions as a list", _open_spiel(False))
SPIEL_SEEN = Contender(
    "OpenSpiel crazy_eights, Python", "observation as NumPy, legal actions as a list", _open_spiel(True)
)
SPIEL_NATIVE = Contender("OpenSpiel crazy_eights, C++ (`evaluate_bots`)", "nothing", _open_spiel_native)
PGX = Contender("pgx leduc_holdem, jit, 4,096 games", "observation, mask, reward, reset", _pgx, cores=2)
ENVPOOL = Contender("EnvPool Blackjack, 4,096 games", "observation, reward, reset; 2 actions", _envpool, cores=2)
ROWS = Contender("NumPy copies rows of our observation's size", "rows", row_writes)
NUMPY = Contender("NumPy shuffles decks of 54", "decks", calibration)
UNO = Contender("RLCard uno", "observation, legal actions", _rlcard)
TEXAS_ENV = Contender("PettingZoo texas_holdem_v4 `env()`", "observation, mask", _classic("texas_holdem_v4", "env"))
TEXAS_RAW = Contender(
    "PettingZoo texas_holdem_v4 `raw_env()`", "observation, mask", _classic("texas_holdem_v4", "raw_env")
)
LEDUC_ENV = Contender("PettingZoo leduc_holdem_v4 `env()`", "observation, mask", _classic("leduc_holdem_v4", "env"))
LEDUC_RAW = Contender(
    "PettingZoo leduc_holdem_v4 `raw_env()`", "observation, mask", _classic("leduc_holdem_v4", "raw_env")
)
