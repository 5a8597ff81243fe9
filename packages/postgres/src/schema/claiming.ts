/**
 * A lease that ends much later than one can was given before the clock was set back. Twice its length, because another
 * worker may have got it after this statement read the clock.
 */
export const IS_FREE = (row: string): string =>
  `(${row}.owner IS NULL OR ${row}.owner = me OR ${row}.lease_until <= now OR ${row}.lease_until > now + 2 * lease)`;
/** Longer waits come from a clock that was set back. */
export const IS_HELD = (row: string): string =>
  `${row}.not_before > now AND ${row}.not_before < now + interval '1 minute'`;

const CLAIM = `
-- A due partition, a lease on the database's clock, and versions for its rows. One statement is the whole transaction.
CREATE FUNCTION {schema}.outbox_claim(me uuid, lease interval, max_rows int, max_bytes bigint)
RETURNS TABLE (partition smallint, is_takeover boolean, epoch uuid, id bigint, key uuid, channel text, kind text,
  data bytea, tags jsonb, options jsonb, version bigint, attempts int, held_ms float8, uncertain_ms float8)
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off AS $function$
#variable_conflict use_column
DECLARE
  now timestamptz := clock_timestamp();
  candidate smallint := -1;
  candidates smallint[] := '{}';
  held text[];
  lease_row record;
  item record;
  ids bigint[] := '{}';
  versions bigint[] := '{}';
  bytes bigint := 0;
  next_version bigint;
BEGIN
  -- A version that is published must not be forgotten by a crash.
  IF current_setting('synchronous_commit') = 'off' THEN PERFORM set_config('synchronous_commit', 'on', true); END IF;
  -- Most partitions are empty: one step of the index leads to the next one with a row.
  LOOP
    SELECT o.partition INTO candidate FROM {schema}.outbox o WHERE o.partition > candidate ORDER BY o.partition LIMIT 1;
    EXIT WHEN NOT FOUND;
    candidates := candidates || candidate;
  END LOOP;
  FOR candidate IN SELECT p.partition FROM {schema}.outbox_partition p
    WHERE p.partition = ANY (candidates) AND ${IS_FREE('p')} ORDER BY p.claimed_at
  LOOP
    held := ARRAY(SELECT DISTINCT o.channel FROM {schema}.outbox o WHERE o.partition = candidate AND ${IS_HELD('o')});
    CONTINUE WHEN NOT EXISTS (
      SELECT FROM {schema}.outbox o WHERE o.partition = candidate AND o.channel <> ALL (held));
    SELECT p.owner, p.last_version INTO lease_row FROM {schema}.outbox_partition p
      WHERE p.partition = candidate AND ${IS_FREE('p')} FOR UPDATE SKIP LOCKED;
    CONTINUE WHEN NOT FOUND;
    -- Read again behind the lock: another worker may just have settled.
    held := ARRAY(SELECT DISTINCT o.channel FROM {schema}.outbox o WHERE o.partition = candidate AND ${IS_HELD('o')});
    next_version := greatest(lease_row.last_version + 1, floor(extract(epoch FROM now) * 1000000)::bigint);
    -- Rows of earlier attempts come first, in the order of their versions.
    FOR item IN SELECT o.id, o.version, octet_length(o.data) AS size FROM {schema}.outbox o
      WHERE o.partition = candidate AND o.channel <> ALL (held)
      ORDER BY o.partition, o.version, o.id LIMIT max_rows
    LOOP
      EXIT WHEN bytes > 0 AND bytes + item.size > max_bytes;
      bytes := bytes + item.size;
      ids := ids || item.id;
      IF item.version IS NULL THEN
        versions := versions || next_version;
        next_version := next_version + 1;
      ELSE
        versions := versions || item.version;
      END IF;
    END LOOP;
    EXIT WHEN cardinality(ids) > 0;
  END LOOP;
  IF cardinality(ids) = 0 THEN RETURN; END IF;
  UPDATE {schema}.outbox_partition p SET owner = me, lease_until = now + lease, claimed_at = now,
    last_version = greatest(lease_row.last_version, next_version - 1) WHERE p.partition = candidate;
  UPDATE {schema}.outbox_state s SET sleeping_until = NULL WHERE s.sleeping_until IS NOT NULL;
  UPDATE {schema}.outbox o SET version = v.version, uncertain_since = coalesce(o.uncertain_since, now)
    FROM unnest(ids, versions) v(id, version)
    WHERE o.id = v.id AND (o.version IS NULL OR o.uncertain_since IS NULL);
  RETURN QUERY SELECT o.partition, lease_row.owner IS NOT NULL AND lease_row.owner <> me, s.id, o.id, o.key, o.channel,
    o.kind, o.data, o.tags, o.options, o.version, o.attempts,
    (extract(epoch FROM now - o.held_since) * 1000)::float8, (extract(epoch FROM now - o.uncertain_since) * 1000)::float8
    FROM {schema}.outbox o, {schema}.outbox_state s WHERE o.id = ANY (ids) ORDER BY o.version;
END $function$;
`;

const SETTLE = `
CREATE FUNCTION {schema}.outbox_bury(row_id bigint, row_code text, error text) RETURNS int
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
  WITH moved AS (DELETE FROM {schema}.outbox o WHERE o.id = row_id RETURNING o.*)
  INSERT INTO {schema}.outbox_dead (id, key, partition, channel, kind, data, tags, options, created_at, version, attempts,
    last_error, code)
    SELECT m.id, m.key, m.partition, m.channel, m.kind, m.data, m.tags, m.options, m.created_at, m.version,
      m.attempts + 1, error, row_code FROM moved m;
  RETURN CASE WHEN FOUND THEN 1 ELSE 0 END;
END $function$;

-- What became of a batch. Rows that are published go in any case; all else is decided by the owner of the lease alone.
-- failures: [{"id", "act": "dead" | "hold" | "retry", "code", "error", "delay_ms", "older_ms"}]
CREATE FUNCTION {schema}.outbox_settle(me uuid, part smallint, lease interval, done_ids bigint[], done_versions bigint[],
  unpublished bigint[], failures jsonb, keep boolean) RETURNS TABLE (is_owner boolean, buried int)
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp SET jit = off SET enable_seqscan = off AS $function$
#variable_conflict use_variable
DECLARE
  now timestamptz := clock_timestamp();
  failure record;
  older bigint;
  dead_channel text;
BEGIN
  buried := 0;
  PERFORM FROM {schema}.outbox_partition p WHERE p.partition = part AND p.owner = me FOR UPDATE;
  is_owner := FOUND;
  DELETE FROM {schema}.outbox o USING unnest(done_ids, done_versions) d(id, version)
    WHERE o.id = d.id AND o.version = d.version;
  IF NOT is_owner THEN RETURN NEXT; RETURN; END IF;
  UPDATE {schema}.outbox o SET uncertain_since = NULL WHERE o.id = ANY (unpublished);
  FOR failure IN SELECT f.* FROM jsonb_to_recordset(failures)
    AS f(id bigint, act text, code text, error text, delay_ms float8, older_ms float8)
  LOOP
    IF failure.act = 'dead' THEN
      SELECT o.channel INTO dead_channel FROM {schema}.outbox o WHERE o.id = failure.id;
      buried := buried + {schema}.outbox_bury(failure.id, failure.code, failure.error);
      CONTINUE WHEN failure.older_ms IS NULL OR dead_channel IS NULL;
      -- The channel is not open: what waited as long goes with it.
      FOR older IN SELECT o.id FROM {schema}.outbox o WHERE o.partition = part AND o.channel = dead_channel
        AND o.created_at <= now - failure.older_ms * interval '1 millisecond'
      LOOP
        buried := buried + {schema}.outbox_bury(older, failure.code, failure.error);
      END LOOP;
    ELSE
      UPDATE {schema}.outbox o SET attempts = o.attempts + 1, last_error = failure.error,
        not_before = now + failure.delay_ms * interval '1 millisecond',
        held_since = CASE WHEN failure.act = 'hold' THEN coalesce(o.held_since, now) END
        WHERE o.id = failure.id;
    END IF;
  END LOOP;
  UPDATE {schema}.outbox_partition p SET owner = CASE WHEN keep THEN me END,
    lease_until = CASE WHEN keep THEN now + lease END WHERE p.partition = part;
  RETURN NEXT;
END $function$;
`;

const SLEEP = `
-- Publishing transactions notify while a worker sleeps. The row is written every few seconds, not at each poll.
CREATE FUNCTION {schema}.outbox_sleep() RETURNS void
LANGUAGE sql VOLATILE AS $function$
  UPDATE {schema}.outbox_state SET sleeping_until = pg_catalog.clock_timestamp() + interval '10 seconds'
    WHERE sleeping_until IS NULL OR sleeping_until < pg_catalog.clock_timestamp() + interval '5 seconds'
      OR sleeping_until > pg_catalog.clock_timestamp() + interval '11 seconds'
$function$;
`;

/** Migration 3: what workers called, with the rights of their own role. Those that run call it until they start again. */
export const CLAIMING = `${CLAIM}${SETTLE}${SLEEP}
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA {schema} FROM PUBLIC;
`;
