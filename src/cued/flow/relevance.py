"""relevance: the probability that a candidate fits the cue, from absolute evidence and never from ranks.

A logistic model of a few columns whose coefficients are data (`policy/calibration`), so that 0.7 means the same with any embedder.
"""

import numpy as np

from cued.flow.table import Table
from cued.model import Column, Memory
from cued.policy.calibration import Calibration, calibration_for
from cued.text.voice import AGENTS, addresses_agent


def run(table: Table) -> None:
    """Add the columns `log_odds` and `relevance`, and the columns that they were made of.

    A row without a comparable vector is judged by the calibration for words alone.
    """
    calibration = calibration_for(table.policy.relevance.calibration, table.evidence.fingerprint)
    table.columns |= features(table, calibration)
    log_odds = weighed(table.columns, calibration)
    blind = np.isnan(table.columns["cosine"])
    if table.policy.relevance.calibration == "auto" and blind.any():
        log_odds = np.where(blind, weighed(table.columns, calibration_for("auto", None)), log_odds)
    table.columns["log_odds"] = log_odds
    table.columns["relevance"] = 1.0 / (1.0 + np.exp(-np.clip(log_odds, -50.0, 50.0)))


def features(table: Table, calibration: Calibration) -> dict[str, Column]:
    """Give the columns beyond those of the store that a calibration may weigh."""
    raw = table.columns
    return {
        "z": _z(raw["cosine"], table, calibration),
        "neighbour_z": np.maximum(
            _z(raw["cosine_before"], table, calibration),
            _z(raw["cosine_after"], table, calibration),
        ),
        "neighbour_coverage": np.maximum(raw["coverage_before"], raw["coverage_after"]),
        "voice": _voice(table),
        "crowd": np.full(len(table), np.log1p(table.evidence.findings.visible)),
    }


def _voice(table: Table) -> Column:
    """Give 1 for the agent's own words where the cue does not ask for them, else 0.

    An agent says much about everything, so its words match any cue; what a user needs remembered is mostly what others said.
    """
    if addresses_agent(table.evidence.cue.utterance):
        return np.zeros(len(table))
    return np.array([_by_agent(memory) for memory in table.memories], dtype=float)


def _by_agent(memory: Memory) -> bool:
    return memory.trust == "agent" or (memory.source.speaker or "").casefold() in AGENTS


def weighed(columns: dict[str, Column], calibration: Calibration) -> Column:
    """Give intercept + Σ weight · column, a missing value counting as 0."""
    log_odds = np.full(len(columns["cosine"]), calibration.intercept)
    for name, weight in calibration.weights.items():
        log_odds = log_odds + weight * np.nan_to_num(columns[name], nan=0.0)
    return log_odds


def _z(cosine: Column, table: Table, calibration: Calibration) -> Column:
    """Give (cosine − mean)/deviation against this cue's own background; 0 without a vector.

    A background of few memories says little, so mean and variance are shrunk towards the embedder's usual ones
    as if `background_count` more memories had been seen.
    """
    seen, usual = table.evidence.findings.background, calibration.background_count
    total = seen.count + usual
    mean = (seen.count * seen.mean + usual * calibration.background_mean) / total
    variance = (seen.count * seen.deviation**2 + usual * calibration.background_deviation**2) / total
    return np.asarray(np.nan_to_num((cosine - mean) / np.sqrt(variance), nan=0.0))
