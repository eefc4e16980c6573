"""People in front of a web browser.

Each browser opens a page, fetches what the page shows over a few connections at
once, waits while its user reads, and follows a link. It keeps what it has seen
and asks again later with If-None-Match, as browsers do. Some pages are far more
popular than others (Zipf).
"""

import argparse
import gzip
import http.client
import itertools
import queue
import random
import threading
import time
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import quote_plus, urldefrag, urljoin, urlsplit

AGENTS = [
    "Mozilla/5.0 (X11; Linux x86_64; rv:115.0) Gecko/20100101 Firefox/115.0",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) "
    "Chrome/120.0.0.0 Safari/537.36",
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 "
    "(KHTML, like Gecko) Version/17.1 Safari/605.1.15",
    "Mozilla/5.0 (Linux; Android 13) AppleWebKit/537.36 (KHTML, like Gecko) "
    "Chrome/119.0.0.0 Mobile Safari/537.36",
    "Mozilla/5.0 (X11; Debian; Linux x86_64; rv:102.0) Gecko/20100101 Firefox/102.0",
    "Lynx/2.9.0dev.12 libwww-FM/2.14 SSL-MM/1.4.1 GNUTLS/3.7.8",
]
WORDS = ("list dict string format open file socket thread asyncio json path regex "
         "iterator generator class decorator import package typing dataclass enum "
         "logging subprocess exception struct bytes unicode datetime random").split()
TIMEOUT = 20


class Page(HTMLParser):
    """What a page shows (its parts) and where it leads (its links)."""

    def __init__(self, text):
        super().__init__()
        self.parts, self.links = [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        a = {name: value for name, value in attributes if value}
        if tag == "a" and "href" in a:
            self.links.append(a["href"])
        elif tag in ("img", "script") and "src" in a:
            self.parts.append(a["src"])
        elif tag == "link" and a.get("rel") in ("stylesheet", "icon", "shortcut icon") and "href" in a:
            self.parts.append(a["href"])


class Popularity:
    """Zipf: the page of rank r is asked for in proportion to 1/r."""

    def __init__(self, pages, seed=1):
        order = list(pages)
        random.Random(seed).shuffle(order)
        self.pages = order
        self.weight = {page: 1 / rank for rank, page in enumerate(order, 1)}
        self.sums = list(itertools.accumulate(self.weight.values()))

    def any_page(self, rng):
        return rng.choices(self.pages, cum_weights=self.sums)[0]

    def of(self, urls, rng):
        rare = 0.1 / len(self.pages)
        return rng.choices(urls, [self.weight.get(urlsplit(u).path, rare) for u in urls])[0]


class Browser:
    def __init__(self, options, popularity, number):
        self.rng = random.Random(f"{options.seed} {number}")
        self.site, self.options, self.popularity = options.site, options, popularity
        self.host = urlsplit(options.site).netloc
        self.source = options.address[number % len(options.address)]
        self.agent = self.rng.choice(AGENTS)
        self.shows_parts = not self.agent.startswith("Lynx")  # text only
        self.until = time.monotonic() + options.seconds
        self.seen = {}  # url -> entity tag
        self.work = queue.Queue()
        for _ in range(self.rng.choice([1, 2, 4, 6])):
            threading.Thread(target=self.fetcher, daemon=True).start()

    # One thread is one connection.
    def fetcher(self):
        connection = None
        while True:
            url, referrer, answer = self.work.get()
            try:
                connection = connection or self.connect()
                body, close = self.get(connection, url, referrer)
            except (OSError, http.client.HTTPException):
                body, close = None, True
            if close and connection:
                connection.close()
                connection = None
            answer.put(body)

    def connect(self):
        return http.client.HTTPConnection(
            self.host, timeout=TIMEOUT, source_address=(self.source, 0))

    def get(self, connection, url, referrer):
        headers = {"User-Agent": self.agent, "Accept-Encoding": "gzip",
                   "Accept": "text/html,image/*;q=0.8,*/*;q=0.5", "Accept-Language": "en"}
        if referrer:
            headers["Referer"] = referrer
        if url in self.seen:
            headers["If-None-Match"] = self.seen[url]
        parts = urlsplit(url)
        path = parts.path + ("?" + parts.query if parts.query else "")
        connection.request("GET", path or "/", headers=headers)
        response = connection.getresponse()
        body = response.read()
        if response.status == 200 and response.headers["ETag"]:
            self.seen[url] = response.headers["ETag"]
        if response.headers["Content-Encoding"] == "gzip":
            body = gzip.decompress(body)
        html = "html" in response.headers.get("Content-Type", "")
        return (body if html else b""), response.will_close

    def fetch(self, urls, referrer):
        answer = queue.Queue()
        for url in urls:
            self.work.put((url, referrer, answer))
        return [answer.get() for _ in urls]

    def open(self, url, referrer):
        """Loads a page with all it shows; returns the links it has."""
        body = self.fetch([url], referrer)[0]
        if not body:
            return []
        page = Page(body.decode("utf-8", "replace"))
        if self.shows_parts:
            self.fetch(self.needed(self.absolute(page.parts, url)), url)
        return self.absolute(page.links, url)

    def needed(self, parts):
        # Of what is already here, most is taken as fresh; a little is asked for again.
        return [p for p in parts if p not in self.seen or self.rng.random() < 0.05]

    def absolute(self, urls, base):
        whole = (urldefrag(urljoin(base, u)).url for u in urls)
        return list(dict.fromkeys(u for u in whole if u.startswith(self.site + "/")))

    def next_url(self, links):
        dice = self.rng.random()
        if links and dice < 0.55:
            return self.popularity.of(links, self.rng)
        if dice < 0.65:
            words = " ".join(self.rng.sample(WORDS, self.rng.randint(1, 3)))
            return f"{self.site}/python/search.html?q={quote_plus(words)}&check_keywords=yes&area=default"
        page = self.site + self.popularity.any_page(self.rng)
        if dice < 0.67:  # mistyped
            return page[:-6] + page[-5:]
        if dice < 0.72:  # came from elsewhere
            return page + self.rng.choice(["?from=mail", "?print=1", "?lang=en", "?ref=feed"])
        return page

    def browse(self):
        url, referrer = self.site + "/", None
        self.pause(1)
        for _ in range(self.options.most_pages):
            if time.monotonic() > self.until:
                return
            links = self.open(url, referrer)
            self.pause(self.options.think)
            referrer, url = (url if links else None), self.next_url(links)

    def pause(self, mean):
        wait = min(self.rng.lognormvariate(-0.5, 1) * mean, 10 * mean)
        time.sleep(max(0, min(wait, self.until - time.monotonic())))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--site", required=True, help="such as http://www.sample.example")
    parser.add_argument("--pages", type=Path, required=True, help="file with the paths of all pages")
    parser.add_argument("--address", action="append", required=True, help="own address to use")
    parser.add_argument("--browsers", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--think", type=float, default=2, help="mean reading time in seconds")
    parser.add_argument("--most-pages", type=int, default=2000)
    parser.add_argument("--seed", default="1")
    options = parser.parse_args()
    popularity = Popularity(options.pages.read_text().split())
    users = [threading.Thread(target=Browser(options, popularity, n).browse, daemon=True)
             for n in range(options.browsers)]
    for user in users:
        user.start()
    deadline = time.monotonic() + options.seconds + TIMEOUT
    for user in users:
        user.join(max(0, deadline - time.monotonic()))


if __name__ == "__main__":
    main()
