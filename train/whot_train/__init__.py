"""Training of Coaches: MaskablePPO self-play over the engine's batch, evaluation, export.

``whot train`` is its face; nothing else in the project imports this package.
"""
