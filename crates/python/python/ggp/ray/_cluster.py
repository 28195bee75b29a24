"""The connection to a Ray cluster."""

from __future__ import annotations

import os

#: The most bytes of the object store of a cluster that this process starts. Ray takes 30 % of the memory otherwise.
_OBJECT_STORE = 1 << 30


def connect(address: str | None = None) -> None:
    """Connects to the cluster at `address`, or at `$RAY_ADDRESS`; without either, to a cluster of this machine alone, which
    it starts. A process that is connected stays so.
    """
    import ray

    if ray.is_initialized():
        return
    address = address or os.environ.get("RAY_ADDRESS")
    if address is not None:
        ray.init(address=address, log_to_driver=False)
    else:
        # Without "local", Ray would look for a cluster that someone else has started on this machine.
        ray.init(address="local", include_dashboard=False, object_store_memory=_OBJECT_STORE, log_to_driver=False)
