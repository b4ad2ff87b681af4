"""Gymnasium ids of the tables."""


def register_gymnasium() -> None:
    """Register the Gymnasium ids (idempotent)."""
