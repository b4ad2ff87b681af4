"""Asking for the next game's memory while this one is played.

A batch is larger than the fast caches, and a record is read in places that no processor foresees; without this, more
than half of a step's time goes into waiting. The one piece of the engine written in LLVM's own terms.
"""

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from whot_env.engine.kernel import kernel
from whot_env.state import STATE

AHEAD = 2
"""Games between the one that is played and the one asked for."""

_LINE = 64
_HOT = int(STATE.fields["known"][1]) if STATE.fields else 0
"""Bytes of a record that nearly every step touches: all before ``known``."""


@intrinsic
def _prefetch(context: Any, records: Any, index: Any, offset: Any) -> Any:
    """Ask for the cache line at ``offset`` bytes into ``records[index]``, to be written."""

    def generate(target: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = target.make_array(signature.args[0])(target, builder, arguments[0])
        word, pointer, small = ir.IntType(64), ir.IntType(8).as_pointer(), ir.IntType(32)
        stride = cgutils.unpack_tuple(builder, array.strides, 1)[0]
        start = builder.add(builder.ptrtoint(array.data, word), builder.mul(arguments[1], stride))
        place = builder.inttoptr(builder.add(start, arguments[2]), pointer)
        function = cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(ir.VoidType(), [pointer, small, small, small]), "llvm.prefetch.p0"
        )
        write, keep, data = ir.Constant(small, 1), ir.Constant(small, 3), ir.Constant(small, 1)
        builder.call(function, [place, write, keep, data])
        return target.get_dummy_value()

    return types.void(records, index, offset), generate


@kernel
def fetch_ahead(records: Any, index: int) -> None:
    """Ask for the game that is to be played ``AHEAD`` games after ``index``, if there is one."""
    if index + AHEAD < len(records):
        for offset in range(0, _HOT, _LINE):
            _prefetch(records, index + AHEAD, offset)  # pyright: ignore[reportCallIssue] - Numba gives the context
