"""The native part: what people call stands in the package's other files."""

import os
from collections.abc import Callable, Sequence
from typing import Any, final

import pyarrow as pa

__version__: str

@final
class Table:
    """A table that any library of tables takes: ``pyarrow.table(it)``."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...
    def __len__(self) -> int: ...
