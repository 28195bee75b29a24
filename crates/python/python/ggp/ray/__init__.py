"""Clusters: tournaments, self-play and players on many machines, by Ray.

`tournament` plays the matches of `ggp match`; `learn` learns a game as `ggp learn` does; `selfplay` lets workers play for a
learner of your own; `serve` serves a player that searches on all nodes. `python -m ggp.ray`, or `ggp-ray`, has all but
`selfplay` as commands. Ray itself is imported when it is needed: `pip install "ggp[ray]"`.
"""

from ggp.ray._learn import LearningReport, learn
from ggp.ray._selfplay import Chunk, Learner, Play, Progress, checkpoint, selfplay
from ggp.ray._serve import ClusterPlayer, serve
from ggp.ray._tournament import TournamentReport, tournament

__all__ = [
    "Chunk",
    "ClusterPlayer",
    "Learner",
    "LearningReport",
    "Play",
    "Progress",
    "TournamentReport",
    "checkpoint",
    "learn",
    "selfplay",
    "serve",
    "tournament",
]
