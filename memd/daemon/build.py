"""`memd run`: the parts made, joined and started in order; stopped in the reverse order.

The socket answers first, while the rest is still being imported; then come the ledger, the text index, the files, the
watcher; vectors and the scheduler last.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
from contextlib import AsyncExitStack
from typing import Any
from zoneinfo import ZoneInfo

from memd.daemon import clock, heap, logs
from memd.daemon.door import Door
from memd.daemon.lock import Lock
from memd.model.config import Config
from memd.model.errors import Refused
from memd.model.problem import Problem
from memd.serve import places, systemd


def main(args: argparse.Namespace) -> int:
    """The exit code. `args`: vault, socket, config, idle_exit, log_level. Raises Refused where it cannot begin."""
    heap.begin()
    place = places.locate(os.environ, os.getcwd(), args.vault or "", args.socket or "", args.config or "")
    config, problems = places.read_config(place.config)
    logs.set_up(args.log_level or config.daemon.log_level)
    if not os.path.isdir(place.vault):
        raise Refused("not_found", f"the vault {place.vault} is not there: `memd init {place.vault}` makes one")
    lock = Lock(place.cache, place.vault, place.socket)
    try:
        zone = clock.zone_named(config.vault.timezone, os.environ)
        asyncio.run(_serve(place, config, problems, zone, args.idle_exit))
    finally:
        lock.release()
    return 0


async def _serve(
    place: places.Place, config: Config, problems: tuple[Problem, ...], zone: ZoneInfo, idle_exit: int | None
) -> None:
    loop = asyncio.get_running_loop()
    stop = asyncio.Event()
    for name in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(name, stop.set)
    loop.add_signal_handler(signal.SIGHUP, lambda: None)  # the config is fresh until somebody could have changed it
    async with AsyncExitStack() as parts:
        door = Door(place, config)
        await parts.enter_async_context(door.open())
        application = await loop.run_in_executor(None, _application)
        app = application.App(place, config, problems, zone, idle_exit, door)
        for part in (app.indexes(), app.files(), app.meaning(), app.alarms()):
            await parts.enter_async_context(part)
        loop.add_signal_handler(signal.SIGHUP, app.reload)
        systemd.notify(os.environ, "READY=1")
        await app.run(stop)
        systemd.notify(os.environ, "STOPPING=1")


def _application() -> Any:
    """Half a second of imports, off the loop: nobody who only says hello waits for them."""
    from memd.daemon import app

    return app
