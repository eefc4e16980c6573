"""The exceptions. Their texts are those that the command ``heapsmith`` prints, and ``exit_code`` is what it
would end with: 1 the job failed, 2 wrong use, 3 bad input, 4 the environment."""


class HeapsmithError(Exception):
    """What every exception of heapsmith is."""

    exit_code: int = 1


class UsageError(HeapsmithError, ValueError):
    """Something was asked for that there is not: a workload, a parameter, a peer."""

    exit_code = 2


class SpecError(UsageError):
    """A text is no heap. The message points at the place."""

    column: int
    """Where, in characters from 1."""
    suggestion: "str | None"
    """The word that was probably meant."""
    alternatives: "list[str]"
    """What was expected there."""


class EmitError(UsageError):
    """A heap cannot be emitted as asked."""


class TraceError(HeapsmithError):
    """A file or a table is no trace, or is damaged. The message names the event."""

    exit_code = 3


class StoreError(HeapsmithError):
    """A folder does not hold the results that are asked for, or holds those of another exploration."""

    exit_code = 3


class ReplayError(HeapsmithError):
    """A heap is wrong: a payload lost a byte, an invariant does not hold."""


class SystemFailure(HeapsmithError, OSError):
    """The system refused: a file that cannot be opened, a full disk, no memory, no compiler."""

    exit_code = 4


class ClusterError(HeapsmithError):
    """A cluster cannot do it: no Ray, no heapsmith or another one on a worker, a batch that no worker survives."""
