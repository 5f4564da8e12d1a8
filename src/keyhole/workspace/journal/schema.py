"""The tables of the SQLite journal."""

NAME = "journal.db"
APPLICATION_ID = 0x6B657968  # "keyh"
VERSION = 3

# An entry's body is never changed after it was written; what moves is in tables of its own
# (`unfinished`) or follows from the bodies and could be rebuilt (`touch`, `undo`, `claim`). Few
# pages per commit are what makes a commit cheap, so there is one index per question and no more.
TABLES = """
CREATE TABLE meta(name TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE path(id INTEGER PRIMARY KEY, name BLOB NOT NULL UNIQUE);
CREATE TABLE who(
  id INTEGER PRIMARY KEY, actor TEXT NOT NULL, task TEXT NOT NULL, UNIQUE(task, actor)
);
CREATE TABLE entry(
  number INTEGER PRIMARY KEY,
  who INTEGER NOT NULL REFERENCES who,
  time REAL NOT NULL,
  state TEXT NOT NULL,
  body TEXT NOT NULL,
  chain BLOB NOT NULL
);
CREATE INDEX entry_who ON entry(who, number);
CREATE TABLE unfinished(number INTEGER PRIMARY KEY, token TEXT NOT NULL);
CREATE TABLE touch(
  path INTEGER NOT NULL, number INTEGER NOT NULL, before INTEGER, after INTEGER,
  PRIMARY KEY(path, number)
) WITHOUT ROWID;
CREATE TABLE undo(
  target INTEGER NOT NULL, number INTEGER NOT NULL, edit INTEGER,
  PRIMARY KEY(target, number, edit)
);
CREATE TABLE blob(
  id INTEGER PRIMARY KEY,
  hash BLOB NOT NULL UNIQUE,
  base INTEGER, prefix INTEGER, suffix INTEGER,
  packed INTEGER NOT NULL,
  data BLOB NOT NULL
);
CREATE TABLE claim(path INTEGER PRIMARY KEY, hash TEXT NOT NULL, body TEXT NOT NULL);
CREATE TABLE task(name TEXT PRIMARY KEY, ended REAL NOT NULL) WITHOUT ROWID;
CREATE TABLE attempt(
  id INTEGER PRIMARY KEY, time REAL NOT NULL, actor TEXT NOT NULL, task TEXT NOT NULL,
  tool TEXT NOT NULL, codes TEXT NOT NULL, path BLOB NOT NULL, said TEXT NOT NULL DEFAULT ''
);
"""

# What brings an older layout up to the next, by the layout it is for. An older keyhole that has the
# journal open when it is brought up to date asks for `pending` before each call, and is refused.
STEPS = {
    1: "ALTER TABLE attempt ADD COLUMN said TEXT NOT NULL DEFAULT ''",
    2: "ALTER TABLE pending RENAME TO unfinished",
}
