#!/usr/bin/env python3
"""Measures the speed of the package on one core, in CPU time, and that of Pgx, EnvPool and OpenSpiel where they are installed.

    python crates/python/bench.py games/connect_four.kif --seconds 3

Three lines for each game: (a) random playouts inside, beside the command `ggp bench`; (b) a batch of 4,096 lanes in which
the facts and the mask are written as bool arrays after each step and actions are drawn inside; (c) the same batch with a
policy of numpy. (b) also compares the first episodes with single states of the interpreter. Each figure is the median of
several runs; a step is one joint move of one lane.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import time
from collections.abc import Callable

# One thread everywhere, before the libraries are loaded.
os.environ.update(OMP_NUM_THREADS="1", XLA_FLAGS="--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")

import numpy as np

import ggp

LANES = 4096
REPEATS = 5


def rate(run: Callable[[], int], seconds: float, repeats: int = REPEATS) -> float:
    """Steps per second of CPU time. `run` makes some steps and returns their number."""
    run()
    rates = []
    for _ in range(repeats):
        steps, began = 0, time.process_time()
        while time.process_time() - began < seconds / repeats:
            steps += run()
        rates.append(steps / (time.process_time() - began))
    return statistics.median(rates)


def playouts(game: ggp.Game, path: pathlib.Path, seconds: float) -> tuple[float, float, float]:
    """(a) Steps of playouts inside, and of `ggp bench`; and the median of their ratios. The two take turns."""
    count, seed = 1 << 18, iter(range(1, 1 << 30))
    call = ["ggp", "bench", str(path), "--seconds", str(max(1.0, seconds / REPEATS)), "--json"]
    ours, commands = [], []
    for _ in range(REPEATS):
        ours.append(rate(lambda: game.playouts(count, seed=next(seed))[1], max(1.0, seconds / REPEATS), repeats=1))
        said = json.loads(subprocess.run(call, capture_output=True, check=True).stdout)
        commands.append(said["steps_per_cpu_second"])
    ratios = [one / other for one, other in zip(ours, commands)]
    return statistics.median(ours), statistics.median(commands), statistics.median(ratios)


def observed(game: ggp.Game, seconds: float) -> float:
    """(b) A batch whose facts and mask are written after each step. Actions are drawn inside."""
    batch = game.batch(LANES, seed=1)
    rows, mask = batch.observe(), batch.legal()

    def run() -> int:
        batch.step()
        batch.reset_ended()
        batch.observe(out=rows)
        batch.legal(out=mask)
        return LANES

    return rate(run, seconds)


def check(game: ggp.Game, path: pathlib.Path, lanes: int = 64) -> None:
    """Compares the episodes of a batch, step by step, with those of a batch on the interpreter."""
    slow = ggp.load(path, reasoner="datalog").batch(lanes, seed=1)
    fast = game.batch(lanes, seed=1)
    fluents = game.fluents
    while not fast.terminated.all():
        for lane in range(0, lanes, 7):
            facts = [fluents[at] for at in np.flatnonzero(fast.observe()[lane])]
            assert sorted(facts) == slow.state(lane).facts, "the network and the interpreter disagree"
        fast.step()
        slow.step()
    assert (fast.goals == slow.goals).all() and (fast.steps == slow.steps).all()


def policy(game: ggp.Game, seconds: float) -> float:
    """(c) A batch whose actions are the first legal ones from a random place on, found by numpy."""
    batch = game.batch(LANES, seed=1)
    rows, mask = batch.observe(), batch.legal()
    random = np.random.default_rng(1)
    noise = random.random(mask.shape, np.float32)

    def run() -> int:
        batch.step(np.where(mask, noise, -1).argmax(axis=1))
        batch.reset_ended()
        batch.observe(out=rows)
        batch.legal(out=mask)
        return LANES

    return rate(run, seconds)


def pgx_rate(name: str, seconds: float) -> float | None:
    """Pgx on this core: random legal actions, automatic resets, compiled as one function of many steps."""
    try:
        import jax
        import jax.numpy as jnp
        import pgx
        from pgx.experimental.wrappers import auto_reset
    except ImportError:
        return None
    if name not in pgx.available_envs():
        return None
    env = pgx.make(name)
    steps = 32

    def one(carry, _):
        state, key = carry
        key, act, again = jax.random.split(key, 3)
        logits = jnp.where(state.legal_action_mask, 0.0, -1e9)
        action = jax.random.categorical(act, logits, axis=-1)
        state = jax.vmap(auto_reset(env.step, env.init))(state, action, jax.random.split(again, LANES))
        return (state, key), state.observation.sum()

    many = jax.jit(lambda carry: jax.lax.scan(one, carry, None, steps))
    carry = (jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.PRNGKey(0), LANES)), jax.random.PRNGKey(1))

    def run() -> int:
        nonlocal carry
        carry, total = many(carry)
        total.block_until_ready()
        return steps * LANES

    return rate(run, seconds)


def envpool_rate(name: str, seconds: float) -> float | None:
    """EnvPool with one thread; its actions are random legal ones."""
    try:
        import envpool
    except ImportError:
        return None
    if name not in envpool.list_all_envs():
        return None
    lanes = 512
    env = envpool.make(name, env_type="gymnasium", num_envs=lanes, num_threads=1)
    _, info = env.reset()
    random = np.random.default_rng(1)

    def run() -> int:
        nonlocal info
        mask = np.asarray(info["legal_action_mask"])
        info = env.step(np.where(mask, random.random(mask.shape), -1).argmax(axis=1))[4]
        return lanes

    return rate(run, seconds)


def open_spiel_rate(name: str, seconds: float) -> float | None:
    """OpenSpiel's random rollouts in C++, as its tree search makes them from states near the start. Their length is that of
    games from the start, which favours OpenSpiel a little.
    """
    try:
        import pyspiel
    except ImportError:
        return None
    if name not in pyspiel.registered_names():
        return None
    game = pyspiel.load_game(name)
    random, lengths = np.random.default_rng(1), []
    for _ in range(200):
        state = game.new_initial_state()
        while not state.is_terminal():
            legal = state.legal_actions()
            state.apply_action(legal[random.integers(len(legal))])
        lengths.append(len(state.history()))
    simulations, rollouts = 20, 200
    evaluator = pyspiel.RandomRolloutEvaluator(rollouts, 1)
    bot = pyspiel.MCTSBot(game, evaluator, 1.4, simulations, 1000, False, 1, False)

    def run() -> int:
        bot.mcts_search(game.new_initial_state())
        return int(simulations * rollouts * statistics.mean(lengths))

    return rate(run, seconds)


#: The games of other libraries, by the letters of our rulesheets' names.
PGX = {"connectfour": "connect_four", "tictactoe": "tic_tac_toe", "othello": "othello", "hex": "hex"}
ENVPOOL = {"connectfour": "ConnectFour-v1", "tictactoe": "TicTacToe-v1", "othello": "Othello-v1"}
OPEN_SPIEL = {
    "breakthrough": "breakthrough",
    "checkers": "checkers",
    "connectfour": "connect_four",
    "hex": "hex",
    "othello": "othello",
    "tictactoe": "tic_tac_toe",
}


def letters(path: pathlib.Path) -> str:
    """The letters of a rulesheet's name, without what follows a hyphen: `othello-comp2007` is othello."""
    return "".join(one for one in path.stem.split("-")[0].lower() if one.isalpha())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rules", nargs="+", type=pathlib.Path)
    parser.add_argument("--seconds", type=float, default=3.0, help="the time of each figure")
    arguments = parser.parse_args()
    for path in arguments.rules:
        game = ggp.load(path, reasoner="propnet")
        check(game, path)
        inside, command, ratio = playouts(game, path, arguments.seconds)
        figures = {
            "(a) playouts inside": inside,
            "(a) ggp bench": command,
            "(b) observed": observed(game, arguments.seconds),
            "(c) policy of numpy": policy(game, arguments.seconds),
        }
        others = {
            "Pgx": pgx_rate(PGX.get(letters(path), ""), arguments.seconds),
            "EnvPool": envpool_rate(ENVPOOL.get(letters(path), ""), arguments.seconds),
            "OpenSpiel, rollouts in C++": open_spiel_rate(OPEN_SPIEL.get(letters(path), ""), arguments.seconds),
        }
        print(f"{path.stem}: {len(game.fluents)} fluents, {max(len(game.moves(role)) for role in game.roles)} moves")
        for name, figure in (figures | others).items():
            print(f"  {name:28}" + ("  none: not installed, or no such game" if figure is None else f"{figure / 1e6:9.2f} M steps/s"))
        print(f"  (a) against ggp bench       {ratio:9.3f}, the median of {REPEATS} pairs")
        best = max((figure for figure in others.values() if figure is not None), default=None)
        if best is not None:
            print(f"  (a) against the best other  {inside / best:9.1f}; (b) {figures['(b) observed'] / best:.1f}", flush=True)


if __name__ == "__main__":
    main()
