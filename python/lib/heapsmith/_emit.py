"""A heap as source."""

from __future__ import annotations

import os
from typing import Literal

from heapsmith import _native
from heapsmith._native import Heap


def emit(
    heap: Heap | str,
    lang: Literal["c", "rust", "so"] = "c",
    *,
    name: str = "my_heap",
    out: str | os.PathLike[str] | None = None,
) -> dict[str, str]:
    """Write a heap as source that returns the very addresses that were measured.

    Parameters
    ----------
    heap
        A spec, a name of the catalogue, or what :meth:`Exploration.pick` gave.
    lang
        ``"c"``: C11 for firmware; ``"rust"``: a type of the crate heapsmith; ``"so"``: C with malloc's names, which is
        compiled in ``out`` as a library for ``LD_PRELOAD``.
    name
        What it is to be called: small letters, digits, underscores.
    out
        A folder for the files; without it they are only returned. Files that were not emitted are not replaced.

    Returns
    -------
    dict
        The text of each file, by its name.

    Raises
    ------
    SpecError, EmitError
        The text is no heap; the heap or the name does not suit the language.
    SystemFailure
        The folder cannot be written, or there is no C compiler.
    """
    files = dict(_native.emit(str(heap), lang, name))
    if out is not None:
        _native.emit_to(str(heap), lang, name, out)
    return files
