"""The engines held against files of known answers: predicted, measured and error of each, figures by kind."""

from estimator.score.memory import MemoryScore, PointScore, Summary, memory_score, read_points
from estimator.score.text import score_json, score_text

__all__ = [
    "MemoryScore",
    "PointScore",
    "Summary",
    "memory_score",
    "read_points",
    "score_json",
    "score_text",
]
