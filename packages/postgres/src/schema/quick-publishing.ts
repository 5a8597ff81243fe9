import { EXTRAS, FOR_APPLICATIONS, IS_NO_CHANNEL, IS_NO_PAYLOAD, OPTIONS, PAYLOADS } from './publishing.ts';

// Each statement of a function costs a publish more than an expression does. So the full checks, which word the refusal,
// run only when a condition fails, and the INSERT reads the state of the outbox itself.
const PUBLISH = PAYLOADS.map(
  ({ type, bytes }) => `
CREATE OR REPLACE FUNCTION {schema}.publish(channel text, data ${type}, ${EXTRAS}) RETURNS uuid
${FOR_APPLICATIONS} AS $function$
#variable_conflict use_variable
DECLARE
  bytes bytea := ${bytes};
  result uuid;
  is_watched boolean;
BEGIN
  IF tags IS NOT NULL OR ${IS_NO_CHANNEL} OR ${IS_NO_PAYLOAD('bytes')} THEN
    PERFORM {schema}.outbox_check(channel, bytes, tags);
  END IF;
  IF ordered THEN PERFORM {schema}.outbox_lock(ARRAY[channel]); END IF;
  INSERT INTO {schema}.outbox AS o (partition, channel, kind, data, tags, options)
    VALUES ({schema}.outbox_partition_of(channel), channel, 'publish', bytes, tags, ${OPTIONS})
    RETURNING o.key, (SELECT s.max_rows > 0 OR coalesce(s.sleeping_until > clock_timestamp(), false)
      FROM {schema}.outbox_state s) INTO result, is_watched;
  -- A bound on rows, or a worker that sleeps. A statement that fails takes its row with it.
  IF is_watched THEN PERFORM {schema}.outbox_before_insert(); END IF;
  RETURN result;
END $function$;
`,
).join('');

/** Migration 5: `msg.publish` with fewer statements. */
export const QUICK_PUBLISHING = PUBLISH;
