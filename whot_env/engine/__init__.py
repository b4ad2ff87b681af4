"""The rules of Whot as compiled kernels on ``STATE`` records: the only place that knows how the game goes.

Each function carries the paragraph of the rules that it implements. ``r`` is one ``RULES`` record, ``s`` one ``STATE``
record (changed in place), ``log`` an ``int16[n, 3]`` event buffer (see ``log.py``).
"""
