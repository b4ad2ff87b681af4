"""Thin adapters of the engine to the environment standards; none imports another.

``aec`` and ``parallel`` (PettingZoo), ``single`` and ``vector`` (Gymnasium), ``sb3`` (Stable-Baselines3). They share
``options`` and ``spaces``, ``lanes`` (games in which policies play all seats but one) and ``draw`` (rendering).
"""
