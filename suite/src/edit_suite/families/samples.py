"""The files that most cases are about: short, ordinary, one for each of several languages."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Sample:
    """A file; a line, a block and another line of it, each with what it shall become."""

    name: str
    text: str
    line: str
    line_new: str
    block: str
    block_new: str
    other: str
    other_new: str
    # The second line of the block as somebody else changed it.
    drift: str
    # A line that may stand below `line` and `other`, and how a remark begins.
    extra: str
    remark: str

    @property
    def slug(self) -> str:
        """Return the language, as ids of cases have it."""
        return self.name.rpartition(".")[2]


PY = Sample(
    "cache.py",
    '''\
"""A small cache with a time to live."""

import time

TTL = 300
LIMIT = 1000


class Cache:
    def __init__(self, ttl=TTL):
        self.ttl = ttl
        self.entries = {}

    def get(self, key):
        entry = self.entries.get(key)
        if entry is None:
            return None
        value, stored = entry
        if time.time() - stored > self.ttl:
            del self.entries[key]
            return None
        return value

    def put(self, key, value):
        if len(self.entries) >= LIMIT:
            self.evict()
        self.entries[key] = (value, time.time())

    def evict(self):
        oldest = min(self.entries, key=lambda key: self.entries[key][1])
        del self.entries[oldest]
''',
    "TTL = 300",
    "TTL = 600",
    """\
        if len(self.entries) >= LIMIT:
            self.evict()
        self.entries[key] = (value, time.time())""",
    """\
        while len(self.entries) >= LIMIT:
            self.evict()
        stored = time.time()
        self.entries[key] = (value, stored)""",
    "LIMIT = 1000",
    "LIMIT = 5000",
    "            self.evict_oldest()",
    "DEBUG = False",
    "#",
)
JS = Sample(
    "cart.js",
    """\
const TAX = 0.19;
const FREE_SHIPPING = 50;

export class Cart {
  constructor() {
    this.items = [];
  }

  add(item, count = 1) {
    const known = this.items.find((each) => each.id === item.id);
    if (known) {
      known.count += count;
      return known;
    }
    this.items.push({ ...item, count });
    return item;
  }

  net() {
    let sum = 0;
    for (const item of this.items) {
      sum += item.price * item.count;
    }
    return sum;
  }

  gross() {
    return this.net() * (1 + TAX);
  }
}
""",
    "const TAX = 0.19;",
    "const TAX = 0.21;",
    """\
    for (const item of this.items) {
      sum += item.price * item.count;
    }""",
    """\
    for (const item of this.items) {
      if (item.free) continue;
      sum += item.price * item.count;
    }""",
    "const FREE_SHIPPING = 50;",
    "const FREE_SHIPPING = 75;",
    "      sum += item.price * item.count * rate;",
    "const ROUND = 2;",
    "//",
)
TS = Sample(
    "user.ts",
    """\
export interface User {
  id: number;
  name: string;
  email?: string;
}

const ADMIN = "admin";
const GUEST = "guest";

export function greet(user: User): string {
  if (!user.name) {
    return "Hello, stranger";
  }
  return `Hello, ${user.name}`;
}

export function role(user: User): string {
  if (user.id === 0) {
    return ADMIN;
  }
  return GUEST;
}

export function domain(user: User): string | undefined {
  const at = user.email?.indexOf("@") ?? -1;
  return at < 0 ? undefined : user.email?.slice(at + 1);
}
""",
    'const ADMIN = "admin";',
    'const ADMIN = "root";',
    """\
  if (!user.name) {
    return "Hello, stranger";
  }""",
    """\
  const name = user.name.trim();
  if (!name) {
    return "Hello, stranger";
  }""",
    'const GUEST = "guest";',
    'const GUEST = "visitor";',
    '    return "Welcome, stranger";',
    'const TEAM = "team";',
    "//",
)
GO = Sample(
    "pool.go",
    """\
package pool

import "errors"

const size = 8
const queue = 64

var ErrClosed = errors.New("pool: closed")

type Pool struct {
	jobs   chan func()
	closed bool
}

func New() *Pool {
	p := &Pool{jobs: make(chan func(), queue)}
	for i := 0; i < size; i++ {
		go p.work()
	}
	return p
}

func (p *Pool) Submit(job func()) error {
	if p.closed {
		return ErrClosed
	}
	p.jobs <- job
	return nil
}

func (p *Pool) work() {
	for job := range p.jobs {
		job()
	}
}
""",
    "const size = 8",
    "const size = 16",
    """\
	if p.closed {
		return ErrClosed
	}
	p.jobs <- job""",
    """\
	if p.closed {
		return ErrClosed
	}
	p.count++
	p.jobs <- job""",
    "const queue = 64",
    "const queue = 256",
    "\t\treturn ErrPoolClosed",
    "const retries = 3",
    "//",
)
RS = Sample(
    "stack.rs",
    """\
const DEPTH: usize = 128;
const NAME: &str = "main";

pub struct Stack {
    values: Vec<i64>,
}

impl Stack {
    pub fn new() -> Self {
        Stack { values: Vec::new() }
    }

    pub fn push(&mut self, value: i64) -> bool {
        if self.values.len() == DEPTH {
            return false;
        }
        self.values.push(value);
        true
    }

    pub fn pop(&mut self) -> Option<i64> {
        self.values.pop()
    }

    pub fn sum(&self) -> i64 {
        self.values.iter().sum()
    }
}
""",
    "const DEPTH: usize = 128;",
    "const DEPTH: usize = 512;",
    """\
        if self.values.len() == DEPTH {
            return false;
        }
        self.values.push(value);""",
    """\
        if self.values.len() >= DEPTH {
            return false;
        }
        self.values.reserve(1);
        self.values.push(value);""",
    'const NAME: &str = "main";',
    'const NAME: &str = "spare";',
    "            return self.full();",
    "const WIDTH: usize = 8;",
    "//",
)
JAVA = Sample(
    "Meter.java",
    """\
package measure;

public class Meter {
    private static final int WINDOW = 60;
    private static final String UNIT = "ms";

    private long total;
    private int count;

    public void record(long value) {
        if (value < 0) {
            throw new IllegalArgumentException("negative");
        }
        total += value;
        count++;
    }

    public double mean() {
        return count == 0 ? 0 : (double) total / count;
    }

    public boolean isFull() {
        return count >= WINDOW;
    }

    @Override
    public String toString() {
        return mean() + " " + UNIT;
    }
}
""",
    "    private static final int WINDOW = 60;",
    "    private static final int WINDOW = 90;",
    """\
        if (value < 0) {
            throw new IllegalArgumentException("negative");
        }
        total += value;""",
    """\
        if (value < 0) {
            throw new IllegalArgumentException("negative");
        }
        last = value;
        total += value;""",
    '    private static final String UNIT = "ms";',
    '    private static final String UNIT = "us";',
    '            throw new IllegalArgumentException("value below zero");',
    "    private static final int LIMIT = 5;",
    "//",
)
MD = Sample(
    "guide.md",
    """\
# Guide

Read this page before the first release.

## Install

Fetch the archive and unpack it.

1. Download `tool.tar.gz`.
2. Check its signature.
3. Run `./install`.

## Configure

The file `tool.toml` has these keys:

- `port`: where the server listens
- `level`: how much is logged
- `root`: the directory that is served

## Run

Start it with `tool serve` and look at port 8080.

Questions go to the mailing list.
""",
    "Fetch the archive and unpack it.",
    "Fetch the archive of your platform and unpack it.",
    """\
- `port`: where the server listens
- `level`: how much is logged
- `root`: the directory that is served""",
    """\
- `port`: where the server listens
- `level`: how much is logged, from 0 to 3
- `host`: which address it binds to
- `root`: the directory that is served""",
    "Questions go to the mailing list.",
    "Questions go to the forum.",
    "- `level`: how much goes into the log",
    "Ask the team first.",
    "Draft:",
)
YAML = Sample(
    "deploy.yaml",
    """\
name: deploy
on:
  push:
    branches: [main]

env:
  REGION: eu-west-1
  STAGE: test

jobs:
  build:
    runs-on: linux
    steps:
      - uses: checkout
      - run: make build
      - run: make package

  release:
    needs: build
    runs-on: linux
    steps:
      - uses: download
      - run: make upload
      - run: make announce
""",
    "  REGION: eu-west-1",
    "  REGION: eu-north-1",
    """\
      - uses: download
      - run: make upload
      - run: make announce""",
    """\
      - uses: download
      - run: make sign
      - run: make upload
      - run: make announce""",
    "  STAGE: test",
    "  STAGE: live",
    "      - run: make upload CHANNEL=beta",
    "  COLOR: blue",
    "#",
)
TOML = Sample(
    "server.toml",
    """\
title = "server"
workers = 4
timeout = 30

[database]
host = "localhost"
port = 5432
name = "orders"

[database.pool]
least = 2
most = 10

[log]
level = "info"
file = "server.log"

[[routes]]
path = "/orders"
handler = "list_orders"

[[routes]]
path = "/orders/new"
handler = "create_order"
""",
    "workers = 4",
    "workers = 8",
    """\
host = "localhost"
port = 5432
name = "orders\"""",
    """\
host = "db.internal"
port = 5432
user = "reader"
name = "orders\"""",
    "timeout = 30",
    "timeout = 45",
    "port = 6432",
    "retries = 3",
    "#",
)
JSON = Sample(
    "package.json",
    """\
{
  "name": "orders",
  "version": "1.4.0",
  "private": true,
  "type": "module",
  "scripts": {
    "build": "tsc -p .",
    "test": "node --test",
    "lint": "eslint src"
  },
  "dependencies": {
    "express": "^4.19.2",
    "pg": "^8.11.5"
  },
  "devDependencies": {
    "eslint": "^9.2.0",
    "typescript": "^5.4.5"
  }
}
""",
    '  "version": "1.4.0",',
    '  "version": "1.5.0",',
    """\
    "build": "tsc -p .",
    "test": "node --test",
    "lint": "eslint src\"""",
    """\
    "build": "tsc -p . --noEmit",
    "test": "node --test",
    "format": "prettier .",
    "lint": "eslint src\"""",
    '  "private": true,',
    '  "private": false,',
    '    "test": "vitest run",',
    '  "license": "MIT",',
    "",
)
HTML = Sample(
    "index.html",
    """\
<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>Orders</title>
    <link rel="stylesheet" href="main.css">
  </head>
  <body>
    <nav>
      <a href="/">Home</a>
      <a href="/orders">Orders</a>
    </nav>
    <main>
      <h1>Orders</h1>
      <form action="/orders" method="post">
        <label>Name <input name="name"></label>
        <button>Send</button>
      </form>
    </main>
  </body>
</html>
""",
    "    <title>Orders</title>",
    "    <title>Open orders</title>",
    """\
        <label>Name <input name="name"></label>
        <button>Send</button>
      </form>""",
    """\
        <label>Name <input name="name" required></label>
        <label>Count <input name="count"></label>
        <button>Send</button>
      </form>""",
    '    <link rel="stylesheet" href="main.css">',
    '    <link rel="stylesheet" href="orders.css">',
    '        <button type="submit">Send</button>',
    '    <meta name="robots" content="none">',
    "",
)
SH = Sample(
    "backup.sh",
    """\
#!/bin/sh
set -eu

KEEP=7
TARGET=/var/backups/orders

note() {
    printf '%s %s\\n' "$(date +%F)" "$1"
}

dump() {
    note "dump $1"
    pg_dump "$1" | gzip > "$TARGET/$1.sql.gz"
}

prune() {
    find "$TARGET" -name '*.gz' -mtime "+$KEEP" -print |
    while read -r old; do
        note "remove $old"
        rm -- "$old"
    done
}

dump orders
prune
""",
    "KEEP=7",
    "KEEP=14",
    """\
    while read -r old; do
        note "remove $old"
        rm -- "$old"
    done""",
    """\
    while read -r old; do
        test -f "$old" || continue
        note "remove $old"
        rm -- "$old"
    done""",
    "TARGET=/var/backups/orders",
    "TARGET=/srv/backups/orders",
    '        note "delete $old"',
    "VERBOSE=1",
    "#",
)
ALL = (PY, JS, TS, GO, RS, JAVA, MD, YAML, TOML, JSON, HTML, SH)
CODE = (PY, JS, TS, GO, RS, JAVA, SH)
INDENTED = (PY, JS, TS, RS, JAVA, YAML, JSON, HTML, SH)
