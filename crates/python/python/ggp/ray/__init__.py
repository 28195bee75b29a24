"""Clusters: tournaments, self-play and players on many machines, by Ray.

`tournament` plays the matches of `ggp match`; `selfplay` lets workers play for a learner; `serve` serves a player that
searches on all nodes. `python -m ggp.ray`, or `ggp-ray`, has the first and the last as commands. Ray itself is imported when
it is needed: `pip install "ggp[ray]"`.
"""

from ggp.ray._selfplay import Chunk, Learner, Play, Progress, checkpoint, selfplay
from ggp.ray._serve import ClusterPlayer, serve
from ggp.ray._tournament import TournamentReport, tournament

__all__ = [
    "Chunk",
    "ClusterPlayer",
    "Learner",
    "Play",
    "Progress",
    "TournamentReport",
    "checkpoint",
    "selfplay",
    "serve",
    "tournament",
]
