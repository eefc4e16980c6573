"""Progress with tqdm, where it is installed and somebody can see it."""

from __future__ import annotations

import sys
from typing import Any


class Bar:
    """A bar of ``total`` steps; without tqdm, or where nobody looks, nothing."""

    def __init__(self, total: int, unit: str, wanted: bool | None) -> None:
        self._bar: Any = None
        if wanted is False or (wanted is None and not _watched()):
            return
        try:
            from tqdm.auto import tqdm
        except ImportError:
            return
        self._bar = tqdm(total=total, unit=unit, leave=False)

    def reach(self, done: int, remark: str = "", total: int | None = None) -> None:
        """``done`` of the steps are done, in all; of ``total`` from here on, if it is set."""
        if self._bar is None:
            return
        if total is not None and total != self._bar.total:
            self._bar.reset(total)
        if remark:
            self._bar.set_postfix_str(remark, refresh=False)
        self._bar.update(done - self._bar.n)

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()


def _watched() -> bool:
    ipython = sys.modules.get("IPython")
    if ipython is not None and hasattr(ipython.get_ipython(), "kernel"):
        return True
    return sys.stderr is not None and sys.stderr.isatty()
