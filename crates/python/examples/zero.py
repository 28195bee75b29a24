#!/usr/bin/env python3
"""Learns a game of two roles from its rules alone, in the manner of AlphaZero, and plays it.

    pip install ggp numpy onnx onnxruntime            # and `ray` for --workers
    zero.py train games/connect_four.kif --folder run --minutes 30
    zero.py train games/connect_four.kif --folder run --minutes 30 --workers 8       # the same on a Ray cluster
    zero.py duel games/connect_four.kif run/network.onnx mcts:iterations=64
    zero.py serve games/connect_four.kif run/network.onnx --port 9147

The search is `ggp.search` with Gumbel noise at the root and few simulations for a move. The network is a residual network of
fully connected layers in numpy: facts in, a policy and a value for each role out. Nothing here knows a game.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import time

import numpy as np

import ggp
from ggp.ray import checkpoint, selfplay


class Network:
    """A residual network of fully connected layers. It evaluates leaves for `ggp.search`."""

    def __init__(self, weights):
        self.weights = weights
        self.blocks = sum(name.startswith("inner_bias") for name in weights)

    @staticmethod
    def fresh(game, width, blocks, seed):
        random = np.random.default_rng(seed)
        facts, roles, actions = shape(game)

        def layer(rows, columns, gain):
            return random.normal(0, gain / rows**0.5, (rows, columns)).astype(np.float32)

        weights = {"input": layer(facts, width, 2**0.5), "input_bias": np.zeros(width, np.float32)}
        for number in range(blocks):
            weights[f"inner{number}"] = layer(width, width, 2**0.5)
            weights[f"inner_bias{number}"] = np.zeros(width, np.float32)
            weights[f"outer{number}"] = layer(width, width, 0.5)
            weights[f"outer_bias{number}"] = np.zeros(width, np.float32)
        weights["policy"], weights["policy_bias"] = layer(width, roles * actions, 0.1), np.zeros(roles * actions, np.float32)
        weights["value"], weights["value_bias"] = layer(width, roles, 0.1), np.zeros(roles, np.float32)
        return Network(weights)

    def layers(self, rows):
        """The activations of all layers, and the outputs."""
        w = self.weights
        found = [np.maximum(rows @ w["input"] + w["input_bias"], 0)]
        for number in range(self.blocks):
            inner = np.maximum(found[-1] @ w[f"inner{number}"] + w[f"inner_bias{number}"], 0)
            found += [inner, np.maximum(found[-1] + inner @ w[f"outer{number}"] + w[f"outer_bias{number}"], 0)]
        logits = found[-1] @ w["policy"] + w["policy_bias"]
        values = 1 / (1 + np.exp(-(found[-1] @ w["value"] + w["value_bias"])))
        return found, logits, values

    def __call__(self, rows, mask, logits, values):
        _, of_policy, values[:] = self.layers(rows.astype(np.float32))
        logits[:] = of_policy.reshape(logits.shape)

    def gradients(self, rows, mask, policy, goals):
        """The gradients of the loss, and the loss of policy and value: cross entropy for both."""
        w, count = self.weights, len(rows)
        found, logits, values = self.layers(rows)
        logits = np.where(mask, logits.reshape(mask.shape), -1e9)
        share = np.exp(logits - logits.max(axis=2, keepdims=True))
        share /= share.sum(axis=2, keepdims=True)
        # A role without a choice teaches nothing.
        chooses = (mask.sum(axis=2) > 1)[:, :, None]
        losses = (
            -(policy * np.log(share + 1e-9) * chooses).sum() / count,
            -(goals * np.log(values + 1e-9) + (1 - goals) * np.log(1 - values + 1e-9)).sum() / count,
        )
        of_policy = ((share - policy) * chooses / count).reshape(count, -1).astype(np.float32)
        of_value = ((values - goals) / count).astype(np.float32)
        out = {"policy": found[-1].T @ of_policy, "policy_bias": of_policy.sum(0)}
        out |= {"value": found[-1].T @ of_value, "value_bias": of_value.sum(0)}
        back = of_policy @ w["policy"].T + of_value @ w["value"].T
        for number in reversed(range(self.blocks)):
            before, inner, after = found[2 * number : 2 * number + 3]
            back = back * (after > 0)
            out[f"outer{number}"], out[f"outer_bias{number}"] = inner.T @ back, back.sum(0)
            of_inner = (back @ w[f"outer{number}"].T) * (inner > 0)
            out[f"inner{number}"], out[f"inner_bias{number}"] = before.T @ of_inner, of_inner.sum(0)
            back = back + of_inner @ w[f"inner{number}"].T
        back = back * (found[0] > 0)
        out["input"], out["input_bias"] = rows.T @ back, back.sum(0)
        return out, losses


def shape(game):
    """The numbers of facts, roles and actions."""
    return len(game.fluents), len(game.roles), max(len(game.moves(role)) for role in game.roles)


class Games:
    """Plays games of a network against itself: a function of its weights and a seed."""

    def __init__(self, game, simulations, lanes, explore):
        self.game, self.simulations, self.lanes, self.explore = game, simulations, lanes, explore

    def __call__(self, weights, seed):
        game, lanes = self.game, self.lanes
        search = ggp.search(game, Network(weights), 512, simulations=self.simulations, root="gumbel")
        batch, positions = game.batch(lanes, seed=seed), []
        for ply in range(1000):
            live = np.flatnonzero(~(batch.terminated | batch.truncated))
            if not len(live):
                break
            search.seed = seed * 1000 + ply
            packed = batch.pack()[live]
            found = search.run(packed)
            mask = np.stack([batch.legal(role) for role in range(len(game.roles))], axis=1)[live]
            positions.append((batch.observe()[live], mask, found.policy, found.values, live))
            # The first moves are drawn from the policy, so that games differ; later ones are the best found.
            actions = np.zeros((lanes, len(game.roles)), np.int32)
            actions[live] = found.actions
            if ply < self.explore:
                logits = np.zeros((lanes, *mask.shape[1:]), np.float32)
                logits[live] = np.log(found.policy + 1e-9)
                for role in range(len(game.roles)):
                    actions[:, role] = batch.sample(logits[:, role].copy(), role=role)
            batch.step(actions)
        rows, masks, policies, values, lane = (np.concatenate(part) for part in zip(*positions))
        return {
            "rows": np.packbits(rows, axis=1),
            "mask": np.packbits(masks.reshape(len(masks), -1), axis=1),
            "policy": policies.astype(np.float16),
            # The mean of the game's result and of what the search expected has less variance than the result.
            "goals": ((batch.goals[lane] / 100 + values) / 2).astype(np.float32),
        }


class Learner:
    """Adam on positions of the latest chunks."""

    def __init__(self, game, width=128, blocks=2, window=300_000, reuse=4.0, rate=1e-3, decay=1e-4, batch=512, seed=1):
        self.facts, self.roles, self.actions = shape(game)
        self.network = Network.fresh(game, width, blocks, seed)
        self.mean = {name: np.zeros_like(one) for name, one in self.network.weights.items()}
        self.square = {name: np.zeros_like(one) for name, one in self.network.weights.items()}
        self.steps, self.random = 0, np.random.default_rng(seed)
        self.window, self.reuse, self.rate, self.decay, self.batch = window, reuse, rate, decay, batch
        self.memory = []
        self.losses = (0.0, 0.0)

    def remember(self, chunk):
        self.memory.append(chunk)
        while sum(len(one["goals"]) for one in self.memory[1:]) > self.window:
            self.memory.pop(0)

    def learn(self, chunk):
        self.remember(chunk)
        memory = {name: np.concatenate([one[name] for one in self.memory]) for name in chunk}
        steps = max(1, round(self.reuse * len(chunk["goals"]) / self.batch))
        for _ in range(steps):
            some = self.random.integers(len(memory["goals"]), size=self.batch)
            rows = np.unpackbits(memory["rows"][some], axis=1, count=self.facts).astype(np.float32)
            mask = np.unpackbits(memory["mask"][some], axis=1, count=self.roles * self.actions).astype(bool)
            mask = mask.reshape(-1, self.roles, self.actions)
            gradients, losses = self.network.gradients(
                rows, mask, memory["policy"][some].astype(np.float32), memory["goals"][some]
            )
            self.losses = tuple(0.98 * old + 0.02 * new for old, new in zip(self.losses, losses))
            self.step(gradients)

    def step(self, gradients):
        self.steps += 1
        weights = self.network.weights
        rate = self.rate * (1 - 0.999**self.steps) ** 0.5 / (1 - 0.9**self.steps)
        for name, gradient in gradients.items():
            mean, square = self.mean[name], self.square[name]
            mean += 0.1 * (gradient - mean)
            square += 0.001 * (gradient**2 - square)
            weights[name] -= rate * mean / (np.sqrt(square) + 1e-8) + self.rate * self.decay * weights[name]

    def weights(self):
        return {name: one.copy() for name, one in self.network.weights.items()}

    def save(self):
        state = self.random.bit_generator.state
        return {"weights": self.weights(), "mean": self.mean, "square": self.square, "steps": self.steps, "random": state}

    def load(self, saved, chunks):
        self.memory = []
        for chunk in chunks:
            self.remember(chunk)
        if saved is not None:
            copied = {part: {name: one.copy() for name, one in saved[part].items()} for part in ("weights", "mean", "square")}
            self.network, self.mean, self.square = Network(copied["weights"]), copied["mean"], copied["square"]
            self.steps = saved["steps"]
            self.random.bit_generator.state = saved["random"]


def duel(game, evaluate, opponent, games=100, simulations=64, seed=1):
    """The mean score of the network's search against a player over games with swapped seats, its standard error, and the
    score in each seat.
    """
    seats = [role for role in range(len(game.roles)) if role != game.chance]
    scores = []
    for role in seats:
        search = ggp.search(game, evaluate, 512, simulations=simulations, root="puct")
        lanes = games // len(seats)
        env = ggp.make_vec(game, lanes, role=role, opponents=opponent, seed=seed + role)
        while not env.over.all():
            env.step(search.run(env.batch).actions[:, role])
        own = env.batch.goals[:, role].astype(float)
        best = np.delete(env.batch.goals, [role, *([] if game.chance is None else [game.chance])], axis=1).max(axis=1)
        scores.append((np.sign(own - best) + 1) / 2)
    both = np.concatenate(scores)
    return both.mean(), both.std() / len(both) ** 0.5, [float(one.mean()) for one in scores]


def export(weights, path):
    """Writes a network as ONNX: `rows` in, `logits` and `values` out."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    nodes, last = [], "rows"

    def node(kind, *inputs):
        name = f"x{len(nodes)}"
        nodes.append(helper.make_node(kind, list(inputs), [name]))
        return name

    def dense(value, name, bias):
        return node("Add", node("MatMul", value, name), bias)

    last = node("Relu", dense(last, "input", "input_bias"))
    for number in range(Network(weights).blocks):
        inner = node("Relu", dense(last, f"inner{number}", f"inner_bias{number}"))
        last = node("Relu", node("Add", last, dense(inner, f"outer{number}", f"outer_bias{number}")))
    nodes.append(helper.make_node("Identity", [dense(last, "policy", "policy_bias")], ["logits"]))
    nodes.append(helper.make_node("Sigmoid", [dense(last, "value", "value_bias")], ["values"]))
    arrays = [numpy_helper.from_array(one, name) for name, one in weights.items()]
    rows = helper.make_tensor_value_info("rows", TensorProto.FLOAT, ["n", len(weights["input"])])
    outputs = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", len(weights[of])])
        for name, of in (("logits", "policy_bias"), ("values", "value_bias"))
    ]
    graph = helper.make_graph(nodes, "zero", [rows], outputs, arrays)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    onnx.checker.check_model(model)
    onnx.save(model, path)


class Onnx:
    """An exported network, evaluated by onnxruntime."""

    def __init__(self, path):
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])

    def __call__(self, rows, mask, logits, values):
        of_policy, values[:] = self.session.run(["logits", "values"], {"rows": rows.astype(np.float32)})
        logits[:] = of_policy.reshape(logits.shape)


def train(arguments):
    game = ggp.load(arguments.rules)
    folder = pathlib.Path(arguments.folder)
    folder.mkdir(parents=True, exist_ok=True)
    measured = [0.0]

    def tell(progress, weights):
        """Measures the network every few minutes, and writes a line of the curve."""
        if progress.seconds - measured[0] < 60 * arguments.measure and progress.seconds < 60 * arguments.minutes:
            return
        measured[0] = progress.seconds
        line = {"minutes": round(progress.seconds / 60, 2), "version": progress.version, "chunks": progress.chunks}
        if arguments.workers == 0:
            line["cpu_minutes"] = round(time.process_time() / 60, 2)
        for opponent in arguments.against:
            mean, error, seats = duel(game, Network(weights), opponent, arguments.games)
            line[opponent] = [round(float(mean), 3), round(float(error), 3), seats]
        print(json.dumps(line), flush=True)
        with open(folder / "curve.jsonl", "a") as file:
            file.write(json.dumps(line) + "\n")

    games = Games(game, arguments.simulations, arguments.lanes, arguments.explore)
    width, blocks, seed = arguments.width, arguments.blocks, arguments.seed
    selfplay(
        games,
        lambda: Learner(game, width, blocks, seed=seed),
        folder=folder,
        workers=arguments.workers,
        learner_cpus=arguments.learner_cpus,
        seconds=60 * arguments.minutes,
        seed=seed,
        on_version=tell,
    )
    learner = Learner(game, width, blocks)
    learner.load(checkpoint(folder), [])
    export(learner.weights(), folder / "network.onnx")
    print(folder / "network.onnx")


class NetworkPlayer:
    """A player for `ggp.serve`: a search with an exported network."""

    def __init__(self, known, evaluate, simulations):
        self.known, self.evaluate, self.simulations = known, evaluate, simulations

    def start(self, game, role, seconds):
        # The columns of the network are the facts and moves of the rules that it has learned.
        if (game.fluents, game.roles) != (self.known.fluents, self.known.roles):
            raise ValueError("the match is not of the game that the network has learned")
        self.search = ggp.search(game, self.evaluate, 64, simulations=self.simulations)
        self.role = game.roles.index(role)
        self.moves = game.moves(role)

    def choose(self, state, joint, seconds):
        return self.moves[self.search.run(state).actions[0, self.role]]

    def stop(self):
        pass


def serve(arguments):
    game, evaluate = ggp.load(arguments.rules), Onnx(arguments.network)
    try:
        ggp.serve(lambda: NetworkPlayer(game, evaluate, arguments.simulations), port=arguments.port, name="zero")
    except KeyboardInterrupt:
        pass


def meet(arguments):
    game, evaluate = ggp.load(arguments.rules), Onnx(arguments.network)
    for opponent in arguments.against:
        mean, error, seats = duel(game, evaluate, opponent, arguments.games, arguments.simulations, arguments.seed)
        named = ", ".join(f"{role} {score:.2f}" for role, score in zip(game.roles, seats))
        found = game.analyze(player=opponent + ",seed=1", iterations=int(opponent.split("iterations=")[1].split(",")[0]))
        print(
            f"{opponent}: score {mean:.3f} ± {error:.3f} ({named}); {arguments.simulations} simulations without playouts "
            f"against {found.iterations} iterations with {found.playouts} playouts"
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("train", help="learn a game; go on if the folder has a checkpoint")
    command.add_argument("rules")
    command.add_argument("--folder", required=True)
    command.add_argument("--minutes", type=float, default=30)
    command.add_argument("--workers", type=int, default=0, help="workers on a Ray cluster; 0: this process alone")
    command.add_argument("--learner-cpus", type=float, default=1)
    command.add_argument("--simulations", type=int, default=32)
    command.add_argument("--lanes", type=int, default=256, help="games of a chunk")
    command.add_argument("--explore", type=int, default=10, help="moves drawn from the policy at the beginning of a game")
    command.add_argument("--width", type=int, default=128)
    command.add_argument("--blocks", type=int, default=2)
    command.add_argument("--seed", type=int, default=1)
    command.add_argument("--measure", type=float, default=4, help="minutes between two points of the curve")
    command.add_argument("--games", type=int, default=100, help="games for a point, against each opponent")
    command.add_argument("--against", nargs="*", default=["uct:iterations=64", "mcts:iterations=64"])
    command.set_defaults(run=train)
    command = commands.add_parser("duel", help="let an exported network meet players")
    command.add_argument("rules")
    command.add_argument("network")
    command.add_argument("against", nargs="+", metavar="SPEC", help="such as mcts:iterations=64")
    command.add_argument("--games", type=int, default=100)
    command.add_argument("--simulations", type=int, default=64)
    command.add_argument("--seed", type=int, default=1)
    command.set_defaults(run=meet)
    command = commands.add_parser("serve", help="serve an exported network to game managers")
    command.add_argument("rules")
    command.add_argument("network")
    command.add_argument("--port", type=int, default=9147)
    command.add_argument("--simulations", type=int, default=64)
    command.set_defaults(run=serve)
    arguments = parser.parse_args()
    arguments.run(arguments)


if __name__ == "__main__":
    main()
