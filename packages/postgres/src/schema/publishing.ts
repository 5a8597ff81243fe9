/** What every function that an application calls has. */
export const FOR_APPLICATIONS =
  'LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp';

/** What is not a channel, or is too long for one. */
export const IS_NO_CHANNEL = `channel IS NULL OR octet_length(channel) > 255 OR channel COLLATE "C" !~
    '^(public:[a-z0-9-]+(\\.[a-z0-9_-]+){1,3}|private:[a-z0-9-]+(\\.[a-z0-9_-]+){2,3})$'`;
export const IS_NO_PAYLOAD = (bytes: string): string =>
  `${bytes} IS NULL OR octet_length(${bytes}) > 1048576`;

// Only the functions below may call these: they have the search path of their caller. Setting it again
// costs a tenth of a publish.
const CHECKS = `
CREATE FUNCTION {schema}.outbox_check(channel text, data bytea, tags jsonb) RETURNS void
LANGUAGE plpgsql IMMUTABLE AS $function$
DECLARE
  tag record;
BEGIN
  IF ${IS_NO_CHANNEL} THEN
    RAISE EXCEPTION USING ERRCODE = '22023', MESSAGE = format(
      'channel must be public:app.domain[.id][.topic] or private:app.domain.id[.topic], of lower-case letters, '
      'digits, "-" and after the app "_", at most 255 bytes; got %s', coalesce('"' || left(channel, 80) || '"', 'null'));
  END IF;
  IF ${IS_NO_PAYLOAD('data')} THEN
    RAISE EXCEPTION USING ERRCODE = '22023', MESSAGE = format(
      'data must be of at most 1048576 bytes; got %s', coalesce(octet_length(data)::text, 'null'));
  END IF;
  IF tags IS NULL THEN RETURN; END IF;
  IF jsonb_typeof(tags) <> 'object' THEN
    RAISE EXCEPTION USING ERRCODE = '22023', MESSAGE = format(
      'tags must be an object of strings; got %s', jsonb_typeof(tags));
  END IF;
  FOR tag IN SELECT t.key, jsonb_typeof(t.value) AS type FROM jsonb_each(tags) t LOOP
    IF tag.type <> 'string' THEN
      RAISE EXCEPTION USING ERRCODE = '22023', MESSAGE = format(
        'tags must be an object of strings; got %s for "%s"', tag.type, left(tag.key, 80));
    END IF;
    IF tag.key LIKE 'msg-%' THEN
      RAISE EXCEPTION USING ERRCODE = '22023', MESSAGE = format(
        'tags must not begin with "msg-", which are the service''s own; got "%s"', left(tag.key, 80));
    END IF;
  END LOOP;
END $function$;

-- NOTIFY serializes commits: only while a worker sleeps.
CREATE FUNCTION {schema}.outbox_before_insert() RETURNS void
LANGUAGE plpgsql VOLATILE AS $function$
DECLARE
  state record;
BEGIN
  SELECT s.sleeping_until, s.max_rows, s.counted_rows INTO state FROM {schema}.outbox_state s;
  IF state.max_rows > 0 AND
    greatest(state.counted_rows, pg_stat_get_live_tuples('{schema}.outbox'::regclass)) >= state.max_rows THEN
    RAISE EXCEPTION USING ERRCODE = '53400', MESSAGE = format(
      'the outbox must have fewer than %s rows (outbox.max_rows): its workers are behind', state.max_rows);
  END IF;
  IF state.sleeping_until > clock_timestamp() THEN
    PERFORM pg_notify('{schema}_outbox', 'commit');
  END IF;
END $function$;

-- Of the name alone, and the same in every version of PostgreSQL: all rows of a channel are in one partition. STABLE, as
-- convert_to is: an expression in its place, where an IMMUTABLE one would be a call, for a fifth of a publish.
CREATE FUNCTION {schema}.outbox_partition_of(channel text) RETURNS smallint
LANGUAGE sql STABLE AS $function$
  SELECT (pg_catalog.get_byte(pg_catalog.sha256(pg_catalog.convert_to(channel, 'UTF8')), 0) & 63)::smallint
$function$;

CREATE FUNCTION {schema}.outbox_lock(channels text[]) RETURNS void
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
  lock bigint;
BEGIN
  FOR lock IN SELECT DISTINCT hashtextextended('{schema}.outbox ' || c, 0) FROM unnest(channels) c ORDER BY 1 LOOP
    PERFORM pg_advisory_xact_lock(lock);
  END LOOP;
END $function$;
`;

/** A payload type, and how its bytes are made. */
export const PAYLOADS = [
  { type: 'jsonb', bytes: "convert_to(data::text, 'UTF8')" },
  { type: 'text', bytes: "convert_to(data, 'UTF8')" },
  { type: 'bytea', bytes: 'data' },
] as const;

export const EXTRAS =
  'tags jsonb DEFAULT NULL, skip_history boolean DEFAULT false, ordered boolean DEFAULT false';
export const OPTIONS = `CASE WHEN skip_history THEN '{"skip_history": true}'::jsonb END`;

const PUBLISH = PAYLOADS.map(
  ({ type, bytes }) => `
CREATE FUNCTION {schema}.publish(channel text, data ${type}, ${EXTRAS}) RETURNS uuid
${FOR_APPLICATIONS} AS $function$
#variable_conflict use_variable
DECLARE
  bytes bytea := ${bytes};
  result uuid;
BEGIN
  PERFORM {schema}.outbox_check(channel, bytes, tags);
  IF ordered THEN PERFORM {schema}.outbox_lock(ARRAY[channel]); END IF;
  PERFORM {schema}.outbox_before_insert();
  INSERT INTO {schema}.outbox AS o (partition, channel, kind, data, tags, options)
    VALUES ({schema}.outbox_partition_of(channel), channel, 'publish', bytes, tags, ${OPTIONS})
    RETURNING o.key INTO result;
  RETURN result;
END $function$;

CREATE FUNCTION {schema}.broadcast(channels text[], data ${type}, ${EXTRAS}) RETURNS uuid[]
${FOR_APPLICATIONS} AS $function$
#variable_conflict use_variable
DECLARE
  bytes bytea := ${bytes};
  name text;
  result uuid[];
BEGIN
  IF channels IS NULL OR cardinality(channels) NOT BETWEEN 1 AND 1000 THEN
    RAISE EXCEPTION USING ERRCODE = '22023', MESSAGE = format(
      'channels must be from 1 to 1000 names; got %s', coalesce(cardinality(channels)::text, 'null'));
  END IF;
  FOREACH name IN ARRAY channels LOOP
    PERFORM {schema}.outbox_check(name, bytes, tags);
  END LOOP;
  IF ordered THEN PERFORM {schema}.outbox_lock(channels); END IF;
  PERFORM {schema}.outbox_before_insert();
  WITH added AS (
    INSERT INTO {schema}.outbox AS o (partition, channel, kind, data, tags, options)
      SELECT {schema}.outbox_partition_of(c.name), c.name, 'publish', bytes, tags, ${OPTIONS}
        FROM unnest(channels) WITH ORDINALITY c(name, ordinal) ORDER BY c.ordinal
      RETURNING o.id, o.key
  ) SELECT array_agg(a.key ORDER BY a.id) INTO result FROM added a;
  RETURN result;
END $function$;
`,
).join('');

const PUBLISH_OR_SINK = `
CREATE FUNCTION {schema}.publish_or_sink(channel text, data jsonb, sink text, recipient jsonb, message jsonb) RETURNS uuid
${FOR_APPLICATIONS} AS $function$
#variable_conflict use_variable
DECLARE
  bytes bytea := convert_to(data::text, 'UTF8');
  result uuid;
BEGIN
  PERFORM {schema}.outbox_check(channel, bytes, NULL);
  IF sink IS NULL OR sink = '' OR length(sink) > 200 THEN
    RAISE EXCEPTION USING ERRCODE = '22023', MESSAGE = 'sink must be the name of a sink';
  END IF;
  IF message IS NULL OR jsonb_typeof(message) <> 'object' THEN
    RAISE EXCEPTION USING ERRCODE = '22023', MESSAGE = format(
      'message must be an object; got %s', coalesce(jsonb_typeof(message), 'null'));
  END IF;
  PERFORM {schema}.outbox_before_insert();
  INSERT INTO {schema}.outbox AS o (partition, channel, kind, data, options)
    VALUES ({schema}.outbox_partition_of(channel), channel, 'publish_or_sink', bytes,
      jsonb_build_object('sink', sink, 'recipient', recipient, 'message', message))
    RETURNING o.key INTO result;
  RETURN result;
END $function$;
`;

/** Migration 2: what applications call. */
export const PUBLISHING = `${CHECKS}${PUBLISH}${PUBLISH_OR_SINK}
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA {schema} FROM PUBLIC;
`;

/** `msg_publish` in the schema `public`, for programs whose query builder cannot name a schema. */
export const ALIAS = PAYLOADS.map(
  ({ type }) => `
CREATE OR REPLACE FUNCTION public.msg_publish(channel text, data ${type}, ${EXTRAS}) RETURNS uuid
LANGUAGE sql VOLATILE AS $function$
  SELECT {schema}.publish($1, $2, $3, $4, $5)
$function$;
`,
).join('');
