import { IS_FREE, IS_HELD } from './claiming.ts';

/** The channels of a partition that wait for a moment of their own; the rest of it is due. */
const HELD = (partition: string): string =>
  `ARRAY(SELECT h.channel FROM {schema}.outbox h WHERE h.partition = ${partition} AND ${IS_HELD('h')})`;

/** The rows of a batch, as migration 4 answered them. */
const ROWS = `{schema}.outbox o, {schema}.outbox_state s WHERE o.id = ANY (ids) ORDER BY o.partition, o.version`;

/** What later migrations changed of the function that claims. */
export interface ClaimingParts {
  readonly create: string;
  /** The epoch of the schema. */
  readonly epoch: string;
  /** Where the rows come from, and their order. */
  readonly rows: string;
  /** From which end the index is asked whether a partition has a row. */
  readonly looksFrom: 'front' | 'back';
}

/** The function that claims. */
export const claiming = ({ create, epoch, rows, looksFrom }: ClaimingParts): string => {
  const [next, order, due] =
    looksFrom === 'front'
      ? ['>', 'o.partition', '']
      : [
          '<',
          'o.partition DESC, o.version DESC, o.id DESC',
          '\n          ORDER BY o.partition DESC, o.version DESC, o.id DESC',
        ];
  return `
-- Due partitions in the order of their turns, a lease for each on the database's clock, and versions for their rows.
-- One statement is the whole transaction. Bounds are those of the batch; a partition in which a row is for a sink is a
-- batch of its own, because a sink takes its time.
${create} {schema}.outbox_claim_batch(me uuid, lease interval, max_partitions int, max_rows int, max_bytes bigint)
RETURNS TABLE (partition smallint, is_takeover boolean, has_more boolean, epoch uuid, id bigint, key uuid, channel text,
  kind text, data bytea, tags jsonb, options jsonb, version bigint, attempts int, held_ms float8, uncertain_ms float8)
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off AS $function$
#variable_conflict use_column
DECLARE
  now timestamptz := clock_timestamp();
  candidate smallint;
  lease_row record;
  item record;
  parts smallint[] := '{}';
  last_versions bigint[] := '{}';
  taken_over smallint[] := '{}';
  ids bigint[] := '{}';
  versions bigint[] := '{}';
  bytes bigint := 0;
  next_version bigint;
  count_before int;
  is_alone boolean := false;
  is_full boolean := false;
BEGIN
  -- A version that is published must not be forgotten by a crash.
  IF current_setting('synchronous_commit') = 'off' THEN PERFORM set_config('synchronous_commit', 'on', true); END IF;
  FOR candidate IN
    -- Most partitions are empty: one step of the index leads to the next one with a row.
    WITH RECURSIVE filled AS (
      (SELECT o.partition FROM {schema}.outbox o ORDER BY ${order} LIMIT 1)
      UNION ALL
      SELECT (SELECT o.partition FROM {schema}.outbox o WHERE o.partition ${next} f.partition ORDER BY ${order} LIMIT 1)
        FROM filled f WHERE f.partition IS NOT NULL)
    SELECT p.partition FROM {schema}.outbox_partition p
      WHERE p.partition IN (SELECT f.partition FROM filled f) AND ${IS_FREE('p')}
        AND (SELECT true FROM {schema}.outbox o
          WHERE o.partition = p.partition AND o.channel <> ALL (${HELD('p.partition')})${due} LIMIT 1)
      ORDER BY p.claimed_at
  LOOP
    IF cardinality(parts) = max_partitions OR cardinality(ids) = max_rows THEN is_full := true; END IF;
    EXIT WHEN is_full;
    SELECT p.owner, p.last_version INTO lease_row FROM {schema}.outbox_partition p
      WHERE p.partition = candidate AND ${IS_FREE('p')} FOR UPDATE SKIP LOCKED;
    CONTINUE WHEN NOT FOUND;
    count_before := cardinality(ids);
    next_version := greatest(next_version, lease_row.last_version + 1, floor(extract(epoch FROM now) * 1000000)::bigint);
    -- Read behind the lock: another worker may just have settled. Rows of earlier attempts come first, in the order of
    -- their versions.
    FOR item IN SELECT o.id, o.version, o.kind, octet_length(o.data) AS size FROM {schema}.outbox o
      WHERE o.partition = candidate AND o.channel <> ALL (${HELD('candidate')})
      ORDER BY o.partition, o.version, o.id LIMIT max_rows - count_before
    LOOP
      IF bytes > 0 AND bytes + item.size > max_bytes THEN is_full := true; END IF;
      EXIT WHEN is_full;
      IF item.kind <> 'publish' AND cardinality(parts) > 0 THEN
        -- The partition has the first turn of the next batch.
        ids := ids[:count_before];
        versions := versions[:count_before];
        is_full := true;
        EXIT;
      END IF;
      is_alone := is_alone OR item.kind <> 'publish';
      bytes := bytes + item.size;
      ids := ids || item.id;
      IF item.version IS NULL THEN
        versions := versions || next_version;
        next_version := next_version + 1;
      ELSE
        versions := versions || item.version;
      END IF;
    END LOOP;
    CONTINUE WHEN cardinality(ids) = count_before;
    parts := parts || candidate;
    last_versions := last_versions || greatest(lease_row.last_version, next_version - 1);
    IF lease_row.owner <> me THEN taken_over := taken_over || candidate; END IF;
    IF is_alone THEN is_full := true; END IF;
  END LOOP;
  IF cardinality(ids) = 0 THEN RETURN; END IF;
  is_full := is_full OR cardinality(ids) = max_rows;
  UPDATE {schema}.outbox_partition p SET owner = me, lease_until = now + lease, claimed_at = now,
    last_version = t.last_version
    FROM unnest(parts, last_versions) t(partition, last_version) WHERE p.partition = t.partition;
  UPDATE {schema}.outbox_state s SET sleeping_until = NULL WHERE s.sleeping_until IS NOT NULL;
  UPDATE {schema}.outbox o SET version = v.version, uncertain_since = coalesce(o.uncertain_since, now)
    FROM unnest(ids, versions) v(id, version)
    WHERE o.id = v.id AND (o.version IS NULL OR o.uncertain_since IS NULL);
  RETURN QUERY SELECT o.partition, o.partition = ANY (taken_over), is_full, ${epoch}, o.id, o.key, o.channel,
    o.kind, o.data, o.tags, o.options, o.version, o.attempts,
    (extract(epoch FROM now - o.held_since) * 1000)::float8, (extract(epoch FROM now - o.uncertain_since) * 1000)::float8
    FROM ${rows};
END $function$;
`;
};

const SETTLE = `
-- What became of a batch. Rows that are published go in any case; all else is decided, in each partition, by the owner of
-- its lease alone: the partitions that are answered.
-- failures: [{"id", "act": "dead" | "hold" | "retry", "code", "error", "delay_ms", "older_ms"}]
CREATE FUNCTION {schema}.outbox_settle_batch(me uuid, parts smallint[], lease interval, done_ids bigint[],
  done_versions bigint[], unpublished bigint[], failures jsonb, keep boolean)
RETURNS TABLE (owned smallint[], buried int)
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp SET jit = off SET enable_seqscan = off AS $function$
#variable_conflict use_variable
DECLARE
  now timestamptz := clock_timestamp();
  failure record;
  dead_row record;
  older bigint;
BEGIN
  buried := 0;
  -- In one order, so that two cannot wait for each other.
  owned := ARRAY(SELECT p.partition FROM {schema}.outbox_partition p WHERE p.partition = ANY (parts) AND p.owner = me
    ORDER BY p.partition FOR UPDATE);
  IF cardinality(done_ids) > 0 THEN
    DELETE FROM {schema}.outbox o USING unnest(done_ids, done_versions) d(id, version)
      WHERE o.id = d.id AND o.version = d.version;
  END IF;
  IF cardinality(owned) = 0 THEN RETURN NEXT; RETURN; END IF;
  IF cardinality(unpublished) > 0 THEN
    UPDATE {schema}.outbox o SET uncertain_since = NULL WHERE o.id = ANY (unpublished) AND o.partition = ANY (owned);
  END IF;
  FOR failure IN SELECT f.* FROM jsonb_to_recordset(failures)
    AS f(id bigint, act text, code text, error text, delay_ms float8, older_ms float8)
  LOOP
    IF failure.act = 'dead' THEN
      SELECT o.partition, o.channel INTO dead_row FROM {schema}.outbox o
        WHERE o.id = failure.id AND o.partition = ANY (owned);
      CONTINUE WHEN NOT FOUND;
      buried := buried + {schema}.outbox_bury(failure.id, failure.code, failure.error);
      CONTINUE WHEN failure.older_ms IS NULL;
      -- The channel is not open: what waited as long goes with it.
      FOR older IN SELECT o.id FROM {schema}.outbox o
        WHERE o.partition = dead_row.partition AND o.channel = dead_row.channel
          AND o.created_at <= now - failure.older_ms * interval '1 millisecond'
      LOOP
        buried := buried + {schema}.outbox_bury(older, failure.code, failure.error);
      END LOOP;
    ELSE
      UPDATE {schema}.outbox o SET attempts = o.attempts + 1, last_error = failure.error,
        not_before = now + failure.delay_ms * interval '1 millisecond',
        held_since = CASE WHEN failure.act = 'hold' THEN coalesce(o.held_since, now) END
        WHERE o.id = failure.id AND o.partition = ANY (owned);
    END IF;
  END LOOP;
  UPDATE {schema}.outbox_partition p SET owner = CASE WHEN keep THEN me END,
    lease_until = CASE WHEN keep THEN now + lease END WHERE p.partition = ANY (owned);
  RETURN NEXT;
END $function$;
`;

/** Migration 4: several partitions are claimed, and settled, at once. */
export const CLAIMING_BATCHES = `${claiming({ create: 'CREATE FUNCTION', epoch: 's.id', rows: ROWS, looksFrom: 'front' })}${SETTLE}
REVOKE ALL ON FUNCTION {schema}.outbox_claim_batch, {schema}.outbox_settle_batch FROM PUBLIC;
`;
