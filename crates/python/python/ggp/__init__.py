"""Games described in GDL, the Game Description Language: states, thousands of games at once, search, players.

Load a game, play 4,096 episodes of it to their ends, and look at the mean goals:

>>> import ggp
>>> game = ggp.load('''
...     (role a) (role b) (init (turn a)) (less 1 2)
...     (legal a stay) (legal a go) (legal b wait)
...     (<= (next won) (does a go)) (next over)
...     (<= terminal (true over))
...     (<= (goal a 100) (true won)) (<= (goal a 0) (not (true won)))
...     (<= (goal b 0) (true won)) (<= (goal b 100) (not (true won)))''')
>>> game.roles
('a', 'b')
>>> game.moves("a")
('go', 'stay')
>>> goals = game.batch(4096, seed=1).rollout()
>>> goals.shape, goals.dtype
((4096, 2), dtype('uint8'))
>>> bool(40 < goals[:, 0].mean() < 60)
True

One state at a time:

>>> state = game.initial_state()
>>> state.legal("a")
['go', 'stay']
>>> state.next("go").goals
[100, 0]
"""

from ggp._errors import (
    CommandError,
    Diagnostic,
    EvaluationError,
    GgpError,
    IllegalMoveError,
    NoNetworkError,
    RulesError,
)
from ggp._ggp import Batch, Game, Search, State, Trees, __version__, load
from ggp._match import match
from ggp._results import (
    Analysis,
    Behaviour,
    BestPlay,
    Candidate,
    Comparison,
    Equilibrium,
    Estimate,
    Matches,
    MatchResult,
    PlannedMove,
    Proof,
)
from ggp._search import Searcher, SearchResult, search
from ggp._serve import Player, serve
from ggp._vec import VecEnv, make_vec

__all__ = [
    "Analysis",
    "Batch",
    "Behaviour",
    "BestPlay",
    "Candidate",
    "CommandError",
    "Comparison",
    "Diagnostic",
    "Equilibrium",
    "Estimate",
    "EvaluationError",
    "Game",
    "GgpError",
    "IllegalMoveError",
    "MatchResult",
    "Matches",
    "NoNetworkError",
    "PlannedMove",
    "Player",
    "Proof",
    "RulesError",
    "Search",
    "SearchResult",
    "Searcher",
    "State",
    "Trees",
    "VecEnv",
    "__version__",
    "load",
    "make_vec",
    "match",
    "search",
    "serve",
]
