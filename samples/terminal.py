"""A person at a terminal: types commands into a remote shell, reads, thinks.

Every key goes out alone and comes back as an echo, so that the line carries many
small packets and, now and then, a screenful.
"""

import argparse
import random
import socket
import time

COMMANDS = [
    "ls", "pwd", "date", "ls -l python", "ls -l python/library | head -40",
    "head -30 reference/ch01.en.html", "wc -l python/tutorial/*.html",
    "grep -c class python/library/*.html | head -60", "du -s *", "uptime", "cd /; cd -",
    "cat licences/BSD", "tail -5 licences/GPL-2", "ls -l archives", "echo done",
    "find packages -name copyright | head -70", "head -c 4000 licences/GPL-3",
]


def listen(shell, quiet, until):
    """Reads what the shell says until it has been quiet for a while."""
    heard_until = time.monotonic() + quiet
    while (now := time.monotonic()) < min(heard_until, until):
        shell.settimeout(max(0.001, heard_until - now))
        try:
            if not shell.recv(65536):
                raise ConnectionError("the shell has gone")
        except TimeoutError:
            return
        heard_until = time.monotonic() + quiet


def type_line(shell, line, rng, until):
    for key in line + "\n":
        if time.monotonic() > until:
            return
        shell.sendall(key.encode())
        listen(shell, min(rng.lognormvariate(-2.3, 0.6), 1.5), until)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--host", required=True)
    parser.add_argument("--port", type=int, default=23)
    parser.add_argument("--address", default="", help="own address to use")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", default="1")
    options = parser.parse_args()
    rng, until = random.Random(options.seed), time.monotonic() + options.seconds
    with socket.create_connection((options.host, options.port), timeout=10,
                                  source_address=(options.address, 0)) as shell:
        shell.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        while time.monotonic() < until:
            type_line(shell, rng.choice(COMMANDS), rng, until)
            listen(shell, 0.5 + rng.expovariate(0.6), until)
        shell.sendall(b"exit\n")


if __name__ == "__main__":
    main()
