"""The one way in which kernels are compiled."""

import numba

kernel = numba.njit(cache=True, nogil=True, error_model="numpy")
"""Compiled once and cached on disk; runs without the interpreter lock, so that threads can share a batch."""
