"""The tables of the shared journal, and their migration while many processes start at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from keyhole.sharing.server import Unreachable

if TYPE_CHECKING:
    from keyhole.sharing.server import Server

# Migrations run once each, in this order, and never change after a release.
# A path is cut where an index could not hold it; the whole path is in the entry's body.
LONGEST_PATH = 2000

_FIRST = """
CREATE TABLE keyhole.project(
  id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL UNIQUE,
  last bigint NOT NULL DEFAULT 0, tidied timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE TABLE keyhole.member(
  project int NOT NULL REFERENCES keyhole.project, role text NOT NULL, PRIMARY KEY(project, role)
);
CREATE TABLE keyhole.workspace(
  id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  project int NOT NULL REFERENCES keyhole.project, key text NOT NULL, UNIQUE(project, key)
);
CREATE TABLE keyhole.source(
  id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  project int NOT NULL REFERENCES keyhole.project,
  workspace int NOT NULL REFERENCES keyhole.workspace,
  journal text NOT NULL, machine text NOT NULL, worktree text NOT NULL, prefix bytea NOT NULL,
  entries_through bigint NOT NULL DEFAULT 0, attempts_through bigint NOT NULL DEFAULT 0,
  seen timestamptz NOT NULL DEFAULT clock_timestamp(), UNIQUE(project, workspace, journal)
);
CREATE TABLE keyhole.entry(
  project int NOT NULL, number bigint NOT NULL,
  workspace int NOT NULL REFERENCES keyhole.workspace,
  source int NOT NULL REFERENCES keyhole.source,
  local bigint NOT NULL, token text NOT NULL,
  time float8 NOT NULL, arrived timestamptz NOT NULL DEFAULT clock_timestamp(),
  actor text NOT NULL, task text NOT NULL, tool text NOT NULL, state text NOT NULL,
  branch text NOT NULL, base text NOT NULL, body text NOT NULL,
  PRIMARY KEY(project, number), UNIQUE(project, source, token)
);
CREATE INDEX entry_task ON keyhole.entry(project, task, number);
CREATE INDEX entry_actor ON keyhole.entry(project, actor, number);
CREATE INDEX entry_source ON keyhole.entry(project, source, number);
CREATE INDEX entry_local ON keyhole.entry(project, local);
CREATE INDEX entry_arrived ON keyhole.entry(project, arrived);
CREATE TABLE keyhole.touch(
  project int NOT NULL, path bytea NOT NULL, number bigint NOT NULL, workspace int NOT NULL,
  before bytea, after bytea, PRIMARY KEY(project, path, number)
);
CREATE INDEX touch_number ON keyhole.touch(project, number);
CREATE TABLE keyhole.undo(
  project int NOT NULL, source int NOT NULL, target bigint NOT NULL, number bigint NOT NULL,
  edit int
);
CREATE INDEX undo_target ON keyhole.undo(project, source, target);
CREATE TABLE keyhole.blob(
  project int NOT NULL, hash bytea NOT NULL, base bytea, prefix int NOT NULL, suffix int NOT NULL,
  packed bool NOT NULL, data bytea NOT NULL, PRIMARY KEY(project, hash)
);
CREATE TABLE keyhole.attempt(
  project int NOT NULL, source int NOT NULL REFERENCES keyhole.source, local bigint NOT NULL,
  time float8 NOT NULL, actor text NOT NULL, task text NOT NULL, tool text NOT NULL,
  codes text NOT NULL, path bytea NOT NULL, PRIMARY KEY(project, source, local)
);
CREATE INDEX attempt_time ON keyhole.attempt(project, time);
CREATE TABLE keyhole.task(
  project int NOT NULL, name text NOT NULL, through bigint NOT NULL, PRIMARY KEY(project, name)
);
CREATE SEQUENCE keyhole.fence;
CREATE TABLE keyhole.lease(
  token bigint PRIMARY KEY DEFAULT nextval('keyhole.fence'),
  project int NOT NULL, workspace int NOT NULL REFERENCES keyhole.workspace,
  path bytea NOT NULL, segment text NOT NULL, task text NOT NULL, actor text NOT NULL,
  machine text NOT NULL, reason text NOT NULL,
  taken timestamptz NOT NULL DEFAULT clock_timestamp(), expires timestamptz NOT NULL,
  released bool NOT NULL DEFAULT false
);
CREATE INDEX lease_path ON keyhole.lease(project, path);
CREATE INDEX lease_expires ON keyhole.lease(project, expires);
CREATE TABLE keyhole.settled(
  project int NOT NULL, path bytea NOT NULL, one bigint NOT NULL, other bigint NOT NULL,
  PRIMARY KEY(project, path, one, other)
);

-- A project that names members is theirs alone; one that names none is open to every role that was
-- admitted. The setting is not a key: it only says which of one's own projects is meant.
CREATE FUNCTION keyhole.current_project() RETURNS int
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT p.id FROM keyhole.project p
  WHERE p.name = current_setting('keyhole.project', true) AND (
    NOT EXISTS (SELECT FROM keyhole.member m WHERE m.project = p.id)
    OR EXISTS (
      SELECT FROM keyhole.member m JOIN pg_catalog.pg_roles r ON r.rolname = m.role
      WHERE m.project = p.id AND pg_has_role(session_user, r.oid, 'member')))
$$;
REVOKE ALL ON FUNCTION keyhole.current_project() FROM PUBLIC;

ALTER TABLE keyhole.project ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenancy ON keyhole.project
  USING (name = current_setting('keyhole.project', true));
DO $$
DECLARE
  each text;
BEGIN
  FOREACH each IN ARRAY ARRAY['workspace', 'source', 'entry', 'touch', 'undo', 'blob', 'attempt',
    'task', 'lease', 'settled'] LOOP
    EXECUTE format(
      'ALTER TABLE keyhole.%I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', each);
    EXECUTE format('CREATE POLICY tenancy ON keyhole.%I
      USING (project = (SELECT keyhole.current_project()))', each);
  END LOOP;
END
$$;

-- What a role needs to share edits, and no more: nothing of the history can be changed or deleted.
CREATE FUNCTION keyhole.admit(role text, project text DEFAULT NULL) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  found int;
BEGIN
  EXECUTE format('GRANT USAGE ON SCHEMA keyhole TO %I', role);
  EXECUTE format('GRANT SELECT ON keyhole.version TO %I', role);
  EXECUTE format('GRANT SELECT, INSERT ON keyhole.project, keyhole.workspace, keyhole.source,
    keyhole.entry, keyhole.touch, keyhole.undo, keyhole.blob, keyhole.attempt, keyhole.task,
    keyhole.lease, keyhole.settled TO %I', role);
  EXECUTE format('GRANT UPDATE(last) ON keyhole.project TO %I', role);
  EXECUTE format('GRANT UPDATE(machine, worktree, prefix, entries_through, attempts_through, seen)
    ON keyhole.source TO %I', role);
  EXECUTE format('GRANT UPDATE(through) ON keyhole.task TO %I', role);
  EXECUTE format('GRANT UPDATE(released) ON keyhole.lease TO %I', role);
  EXECUTE format('GRANT USAGE ON SEQUENCE keyhole.fence TO %I', role);
  EXECUTE format('GRANT EXECUTE ON FUNCTION keyhole.current_project() TO %I', role);
  IF project IS NOT NULL THEN
    PERFORM set_config('keyhole.project', project, true);
    INSERT INTO keyhole.project(name) VALUES(project) ON CONFLICT DO NOTHING;
    SELECT p.id INTO found FROM keyhole.project p WHERE p.name = project;
    INSERT INTO keyhole.member VALUES(found, role) ON CONFLICT DO NOTHING;
  END IF;
END
$$;
REVOKE ALL ON FUNCTION keyhole.admit(text, text) FROM PUBLIC;

-- Forget what is older; for the owner of the tables, and only of the project that is set.
CREATE FUNCTION keyhole.forget(older interval) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  this int := keyhole.current_project();
  upto bigint;
  gone bigint;
BEGIN
  SELECT max(number) INTO upto FROM keyhole.entry
    WHERE project = this AND arrived < clock_timestamp() - older;
  DELETE FROM keyhole.touch WHERE project = this AND number <= upto;
  DELETE FROM keyhole.undo WHERE project = this AND number <= upto;
  DELETE FROM keyhole.entry WHERE project = this AND number <= upto;
  GET DIAGNOSTICS gone = ROW_COUNT;
  DELETE FROM keyhole.settled WHERE project = this AND one <= upto AND other <= upto;
  DELETE FROM keyhole.attempt WHERE project = this
    AND time < extract(epoch FROM clock_timestamp() - older);
  DELETE FROM keyhole.lease WHERE project = this AND expires < clock_timestamp() - older;
  IF gone > 0 THEN
    FOR turn IN 1..2 LOOP  -- a whole image is free only after the differences from it are gone
      DELETE FROM keyhole.blob b WHERE b.project = this
        AND NOT EXISTS (SELECT FROM keyhole.touch t WHERE t.project = this AND t.before = b.hash)
        AND NOT EXISTS (SELECT FROM keyhole.touch t WHERE t.project = this AND t.after = b.hash)
        AND NOT EXISTS (SELECT FROM keyhole.blob d WHERE d.project = this AND d.base = b.hash);
    END LOOP;
  END IF;
  UPDATE keyhole.project SET tidied = clock_timestamp() WHERE id = this;
  RETURN gone;
END
$$;
REVOKE ALL ON FUNCTION keyhole.forget(interval) FROM PUBLIC;
"""

_SECOND = "ALTER TABLE keyhole.attempt ADD COLUMN said text NOT NULL DEFAULT ''"

MIGRATIONS = (_FIRST, _SECOND)
VERSION = len(MIGRATIONS)

# Any number will do, as long as nobody else in the database uses it for something else.
_LOCK = 0x6B657968


def version(server: Server) -> int:
    """Return how many migrations the database has seen; -1 where the role may not look."""
    query = """SELECT has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'SELECT')
        FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = 'keyhole' AND c.relname = 'version'"""
    match server.rows(query):
        case []:
            return 0
        case [(False,)]:
            return -1
    return int(str(server.rows("SELECT coalesce(max(number), 0) FROM keyhole.version")[0][0]))


def migrate(server: Server) -> int:
    """Bring the tables up to date, one process at a time; return the version that is there."""
    with server.transaction():
        found = version(server)
    if found >= VERSION or found < 0:
        return found
    with server.transaction():
        # First of all the lock: what a session looked up before it waited may be out of date.
        server.run("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
        _migrate(server, version(server))
        return version(server)


def _migrate(server: Server, found: int) -> None:
    if found == 0:
        server.script("CREATE SCHEMA IF NOT EXISTS keyhole")
        server.script("CREATE TABLE IF NOT EXISTS keyhole.version(number int PRIMARY KEY)")
    for number in range(found, VERSION):
        server.script(MIGRATIONS[number])
        server.run("INSERT INTO keyhole.version(number) VALUES(%s)", (number + 1,))


def ensure(server: Server) -> None:
    """Bring the tables up to date, or say why this keyhole cannot work with them."""
    found = migrate(server)
    if found < 0:
        why = "this role was not admitted: let the owner run SELECT keyhole.admit('ROLE')"
        raise Unreachable(why)
    if found != VERSION:
        why = f"its tables have version {found}, and this keyhole knows version {VERSION}"
        raise Unreachable(why)
