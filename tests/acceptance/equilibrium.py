"""The solutions of `ggp solve` in games of hidden information, judged from outside.

OpenSpiel loads the exported games and computes the exploitability of the strategies.

    pip install open_spiel
    cargo build --release -p ggp-cli
    python3 tests/acceptance/equilibrium.py

Each game is unfolded and solved by `ggp solve --efg --json`. OpenSpiel loads the extensive form. Checks: the value of
the strategies and their exploitability as OpenSpiel computes them agree with those of `ggp`, and the exploitability
is small enough.
"""

import json
import os

import pyspiel
from open_spiel.python import policy
from open_spiel.python.algorithms import expected_game_score, exploitability

from common import SCRATCH, check, ggp, run

# The game, and the exploitability that is asked for, as a share of the goal range of 100.
GAMES = [("kuhn_poker", 1e-5), ("liars_dice", 1e-3)]


def strategy_of(game, solution):
    """The strategies of `solution` as a policy of OpenSpiel."""
    shares = {}
    for entry in solution["strategy"]:
        name = ", ".join(" ".join(turn) for turn in entry["history"])
        shares[solution["roles"].index(entry["role"]), name] = entry["moves"]
    tabular = policy.TabularPolicy(game)
    for player, states in enumerate(tabular.states_per_player):
        for key in states:
            state = tabular.states[tabular.state_lookup[key]]
            name = key.split("-", 3)[3]
            row = tabular.policy_for_key(key)
            for action in state.legal_actions():
                row[action] = shares[player, name][state.action_to_string(action)]
    return tabular


def equilibria():
    """OpenSpiel confirms values and exploitabilities."""
    for name, wanted in GAMES:
        efg = os.path.join(SCRATCH, f"{name}.efg")
        said = ggp("solve", f"games/{name}.kif", "--json", "--efg", efg, "--exploitability", wanted)
        solution = json.loads(said.stdout)
        with open(efg) as file:
            game = pyspiel.load_efg_game(file.read())
        strategy = strategy_of(game, solution)
        value = expected_game_score.policy_value(game.new_initial_state(), [strategy, strategy])[0]
        # OpenSpiel's figure is half of the sum of both gains, in goals.
        found = exploitability.exploitability(game, strategy) / 100
        own_value, own = solution["goals"][0], solution["exploitability"]
        check(f"{name}: value {value:.6f}, ggp says {own_value:.6f}", abs(value - own_value) < 1e-6)
        check(f"{name}: exploitability {found:.3e}, ggp says {own:.3e}", abs(found - own) < 1e-6 and found <= wanted)


def best_play():
    """Best play against chance earns what independent searches found."""
    # monty_hall: 2/3 by switching. mastermind: 206 guesses for all 64 codes, 10 for each guess beyond the first.
    # ship_hunt: 42 misses for all 16 places of the ship, 5 for each miss.
    for name, value in ("monty_hall", 200 / 3), ("mastermind", 110 - 10 * 206 / 64), ("ship_hunt", 100 - 5 * 42 / 16):
        found = json.loads(ggp("solve", f"games/{name}.kif", "--json", "--memory", 4000).stdout)["value"]
        check(f"{name}: {found:.4f}, expected {value:.4f}", abs(found - value) < 1e-6)


def refusal():
    """A game that is too large is refused with its size."""
    said = ggp("solve", "games/phantom_tic_tac_toe.kif")
    print(f"  {said.stderr.strip()}")
    check("exit code 1, and the size in the message", said.returncode == 1 and " nodes: " in said.stderr)


run([equilibria, best_play, refusal])
