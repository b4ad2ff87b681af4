"""Memory in the processor's own terms: the one piece of the engine written for LLVM, because it halves a step's time.

Numba cannot know that two arrays do not overlap, so it would compile a loop that copies bytes as so many single moves;
and a batch is larger than the fast caches, while a record is read in places that no processor foresees.
"""

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.errors import TypingError
from numba.extending import intrinsic

from whot_env.cards import NUM_CARDS
from whot_env.engine.kernel import kernel
from whot_env.state import STATE

_intrinsic: Any = intrinsic  # Numba adds the first argument itself, which no type says

AHEAD = 2
"""Games between the one that is played and the one asked for."""

_LINE = 64
_HOT = int(STATE.fields["known"][1]) if STATE.fields else 0
"""Bytes of a record that nearly every step touches: all before ``known``."""

_BYTE, _SMALL, _WORD = ir.IntType(8), ir.IntType(32), ir.IntType(64)
_HALF = 32
"""Bytes that ``nonzero`` looks at together."""


def _data(target: Any, builder: Any, kind: Any, value: Any) -> Any:
    """Where an array's bytes are."""
    return target.make_array(kind)(target, builder, value).data


@_intrinsic
def copy(context: Any, out: Any, source: Any, count: Any) -> Any:
    """Copy the first ``count`` of ``source`` over those of ``out``: int8[...] both, contiguous, not overlapping."""
    if (out.dtype, source.dtype) != (types.int8, types.int8):
        raise TypingError(f"copy() takes two arrays of int8, not {out} and {source}")

    def generate(target: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        to, origin = (_data(target, builder, signature.args[i], arguments[i]) for i in range(2))
        cgutils.raw_memcpy(builder, to, origin, arguments[2], ir.Constant(_WORD, 1))
        return target.get_dummy_value()

    return types.void(out, source, types.intp), generate


@_intrinsic
def nonzero(context: Any, counts: Any) -> Any:
    """The set of cards, uint64, whose ``counts`` are not 0: int8[NUM_CARDS], contiguous."""

    def generate(target: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        vector = ir.VectorType(_BYTE, _HALF)
        start = builder.bitcast(_data(target, builder, signature.args[0], arguments[0]), _BYTE.as_pointer())
        cards = ir.Constant(_WORD, 0)
        # Two looks that overlap, so that neither goes beyond the array.
        for offset in (0, NUM_CARDS - _HALF):
            place = builder.gep(start, [ir.Constant(_WORD, offset)])
            values = builder.load(builder.bitcast(place, vector.as_pointer()), align=1)
            found = builder.icmp_unsigned("!=", values, ir.Constant(vector, None))
            bits = builder.zext(builder.bitcast(found, ir.IntType(_HALF)), _WORD)
            cards = builder.or_(cards, builder.shl(bits, ir.Constant(_WORD, offset)))
        return cards

    return types.uint64(counts), generate


@_intrinsic
def _prefetch(context: Any, records: Any, index: Any, offset: Any) -> Any:
    """Ask for the cache line at ``offset`` bytes into ``records[index]``, to be written."""

    def generate(target: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = target.make_array(signature.args[0])(target, builder, arguments[0])
        stride = cgutils.unpack_tuple(builder, array.strides, 1)[0]
        start = builder.add(builder.ptrtoint(array.data, _WORD), builder.mul(arguments[1], stride))
        place = builder.inttoptr(builder.add(start, arguments[2]), _BYTE.as_pointer())
        kind = ir.FunctionType(ir.VoidType(), [_BYTE.as_pointer(), _SMALL, _SMALL, _SMALL])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        write, keep, data = (ir.Constant(_SMALL, value) for value in (1, 3, 1))
        builder.call(function, [place, write, keep, data])
        return target.get_dummy_value()

    return types.void(records, index, offset), generate


@kernel
def fetch_ahead(records: Any, index: int) -> None:
    """Ask for the game that is to be played ``AHEAD`` games after ``index``, if there is one."""
    if index + AHEAD < len(records):
        for offset in range(0, _HOT, _LINE):
            _prefetch(records, index + AHEAD, offset)
