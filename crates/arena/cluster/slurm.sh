#!/bin/sh
# A tournament as a Slurm array: each task plays one slice of it, on one core.
#
#   sbatch --array=1-32 slurm.sh        (the array must start at 1 and have no gaps)
#   ggp merge results/*.jsonl > all.jsonl && ggp stats all.jsonl
#
# A task that is killed or requeued goes on where it was: --resume begins a file that is not
# there and never plays a match twice. Give all tasks the same arguments.
#SBATCH --job-name=ggp-match
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=1
#SBATCH --mem=2G
#SBATCH --time=08:00:00
#SBATCH --requeue
#SBATCH --output=results/%A_%a.log

set -eu
mkdir -p results
exec ggp match games/breakthrough_holes.kif games/english_draughts.kif \
  --player new=mcts --player old=uct \
  --games 4000 --seed 1 --playclock 1 --startclock 10 --concurrency 1 \
  --shard "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT" \
  --resume "results/$SLURM_ARRAY_TASK_ID.jsonl"
