"""`python -m ggp.ray`, or `ggp-ray`: tournaments, learning and players on a Ray cluster."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Sequence

import ggp
from ggp._errors import CommandError, RulesError
from ggp._results import Generation
from ggp.ray._cluster import connect
from ggp.ray._learn import learn
from ggp.ray._serve import serve
from ggp.ray._tournament import TASK_SECONDS, play


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="ggp-ray", description=__doc__, allow_abbrev=False)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    command = commands.add_parser(
        "match",
        allow_abbrev=False,
        help="play a tournament; takes the arguments of `ggp match`",
        usage="ggp-ray match [OPTIONS] [ARGUMENTS OF ggp match]",
        description="Plays the matches of `ggp match` on a Ray cluster, with the same ids and results.",
    )
    _cluster(command)
    command.add_argument("--concurrency", type=int, metavar="N", help="the largest number of matches at once; all cores")
    command.add_argument("--cores", type=int, metavar="N", help="the cores that a match has; the threads of its players")
    command.add_argument("--task-seconds", type=float, default=TASK_SECONDS, metavar="S", help="the seconds of a task")
    command.add_argument("--tasks", metavar="FILE.jsonl", help="append a line for each task to FILE")
    command.set_defaults(run=_match)
    command = commands.add_parser(
        "learn",
        allow_abbrev=False,
        help="learn a game by self-play, as `ggp learn` does",
        description="Learns a game by self-play on a Ray cluster, and keeps the result in a file of knowledge.",
    )
    _cluster(command)
    command.add_argument("game", metavar="GAME.kif", help="the rulesheet")
    command.add_argument("--knowledge", required=True, metavar="FILE", help="the file of knowledge; learning goes on from it")
    command.add_argument("--minutes", type=float, metavar="M", help="the maximum number of minutes; 10 without --matches")
    command.add_argument("--matches", type=int, metavar="N", help="the maximum number of matches of self-play")
    command.add_argument("--workers", type=int, metavar="N", help="the matches at once; one for each core of the cluster")
    command.add_argument("--seed", type=int, default=0, metavar="N", help="the seed of the random numbers; 0")
    command.set_defaults(run=_learn)
    command = commands.add_parser("serve", allow_abbrev=False, help="serve a player that searches on all nodes")
    _cluster(command)
    command.add_argument("player", nargs="?", default="mcts", metavar="SPEC", help="the search of each tree; mcts")
    command.add_argument("--trees", type=int, metavar="N", help="the number of trees; one for each free core")
    command.add_argument("--cores", type=int, default=1, metavar="N", help="the cores of a tree; 1")
    command.add_argument("--port", type=int, default=9147, metavar="N", help="the port; 0 for any free port; 9147")
    command.add_argument("--bind", default="127.0.0.1", metavar="IP", help="the address to listen on; 127.0.0.1")
    command.add_argument("--name", default="ggp", metavar="X", help="the name that the player gives itself; ggp")
    command.add_argument("--margin", type=float, default=0.2, metavar="S", help="answers leave S seconds early; 0.2")
    command.set_defaults(run=_serve)
    return parser


def _cluster(command: argparse.ArgumentParser) -> None:
    command.add_argument("--address", metavar="A", help="the Ray cluster; $RAY_ADDRESS or this machine")


def _end_in_order() -> None:
    """Lets SIGTERM, by which schedulers end jobs, end a run as Ctrl-C does, also where a shell has turned Ctrl-C off. Ray
    sets handlers of its own when it connects, so this comes later.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)


def _listening(address: str) -> None:
    _end_in_order()
    print(f"listening on {address}", flush=True)


def _match(arguments: argparse.Namespace, rest: Sequence[str]) -> int:
    report = play(
        rest,
        arguments.address,
        arguments.concurrency,
        arguments.cores,
        arguments.task_seconds,
        arguments.tasks,
        connected=_end_in_order,
    )
    return report.code


def _line(one: Generation) -> None:
    print(
        f"{one.descents:>10} {one.matches:>8} {one.positions:>9} {one.by_history:>8.3f} {one.by_policy:>8.3f}", flush=True
    )


def _learn(arguments: argparse.Namespace, rest: Sequence[str]) -> int:
    _no_more(rest)
    try:
        game = ggp.load(arguments.game)
        if arguments.workers != 0:
            connect(arguments.address)
        _end_in_order()
        print(f"{'descents':>10} {'matches':>8} {'positions':>9} {'history':>8} {'policy':>8}", flush=True)
        report = learn(
            game,
            arguments.knowledge,
            minutes=arguments.minutes,
            matches=arguments.matches,
            workers=arguments.workers,
            seed=arguments.seed,
            tell=_line,
        )
    except (RulesError, FileNotFoundError, ValueError) as error:
        raise CommandError(str(error), 2) from None
    except KeyboardInterrupt:
        print(f"{arguments.knowledge} has the generations so far; the same command goes on", file=sys.stderr)
        return 130
    uses = "players use the policy" if report.is_used else "players do not use the policy"
    if report.shares:
        share = sum(report.shares) / len(report.shares)
        print(f"{uses}: its share against the search without it is {share:.2f} in {len(report.shares)} matches")
    else:
        why = "it does not lose the matches of self-play" if report.is_used else "it explains too little, or loses"
        print(f"{uses}: {why}")
    print(f"kept in {arguments.knowledge}")
    return 0


def _no_more(rest: Sequence[str]) -> None:
    if rest:
        raise CommandError(f"unexpected argument: {rest[0]}", 2)


def _serve(arguments: argparse.Namespace, rest: Sequence[str]) -> int:
    _no_more(rest)
    try:
        serve(
            arguments.player,
            address=arguments.address,
            trees=arguments.trees,
            cores=arguments.cores,
            port=arguments.port,
            bind=arguments.bind,
            name=arguments.name,
            margin=arguments.margin,
            listening=_listening,
        )
    except KeyboardInterrupt:
        pass
    return 0


def main() -> None:
    """Runs the command and exits with its code."""
    arguments, rest = _parser().parse_known_args()
    try:
        sys.exit(arguments.run(arguments, rest))
    except CommandError as error:
        text = str(error).strip()
        print(text if text.startswith("error") else f"error: {text}", file=sys.stderr)
        sys.exit(error.code)


if __name__ == "__main__":
    main()
