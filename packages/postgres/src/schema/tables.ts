/** Migration 1: tables of the outbox. */
export const TABLES = `
CREATE SCHEMA IF NOT EXISTS {schema};

CREATE TABLE {schema}.outbox_migration (
  number int PRIMARY KEY,
  name text NOT NULL,
  applied_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- One row: the id that versions belong to, until when a worker sleeps, and the bound on rows.
CREATE TABLE {schema}.outbox_state (
  single boolean PRIMARY KEY DEFAULT true CHECK (single),
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  sleeping_until timestamptz,
  max_rows bigint NOT NULL DEFAULT 0,
  counted_rows bigint NOT NULL DEFAULT 0
);
INSERT INTO {schema}.outbox_state DEFAULT VALUES;

CREATE TABLE {schema}.outbox_partition (
  partition smallint PRIMARY KEY,
  owner uuid,
  lease_until timestamptz,
  last_version bigint NOT NULL DEFAULT 0,
  claimed_at timestamptz NOT NULL DEFAULT 'epoch'
) WITH (fillfactor = 40);
INSERT INTO {schema}.outbox_partition (partition) SELECT generate_series(0, 63);

CREATE TABLE {schema}.outbox (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  key uuid NOT NULL DEFAULT gen_random_uuid(),
  partition smallint NOT NULL,
  channel text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('publish', 'publish_or_sink')),
  data bytea NOT NULL,
  tags jsonb,
  options jsonb,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- Null until it is claimed.
  version bigint,
  attempts int NOT NULL DEFAULT 0,
  not_before timestamptz,
  -- Since when the channel was seen not to be open.
  held_since timestamptz,
  -- Since when an attempt may have published it.
  uncertain_since timestamptz,
  last_error text
) WITH (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 5000);
CREATE INDEX outbox_order ON {schema}.outbox (partition, version, id);
CREATE INDEX outbox_held ON {schema}.outbox (partition, not_before) WHERE not_before IS NOT NULL;

CREATE TABLE {schema}.outbox_dead (
  id bigint PRIMARY KEY,
  key uuid NOT NULL,
  partition smallint NOT NULL,
  channel text NOT NULL,
  kind text NOT NULL,
  data bytea NOT NULL,
  tags jsonb,
  options jsonb,
  created_at timestamptz NOT NULL,
  version bigint,
  attempts int NOT NULL,
  last_error text,
  code text NOT NULL,
  dead_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
`;
