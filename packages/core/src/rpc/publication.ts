import { isRecord, JsonSource } from '@msg/foundation/json';
import {
  type Field,
  flag,
  type Message,
  message,
  nullable,
  type Shape,
  ShapeError,
  text,
  textMap,
  uint64,
} from '@msg/foundation/shape';
import { requireJsonValue } from '../payload.ts';
import { publishData } from './publish-data.ts';

/** `json` of a publication: any JSON value, published as the text it has in the request; absent: undefined. */
const publishJson: Field<JsonSource | undefined> = {
  zero: () => undefined,
  read: value => (value instanceof JsonSource ? value : new JsonSource(JSON.stringify(value))),
  write(value) {
    requireJsonValue(value, 'json');
    return value;
  },
  schema: () => ({ description: 'any JSON value, published as its text' }),
};

/** Publications of one request of PublishMany, channels of one of Broadcast. */
export const MAX_PUBLICATIONS = 1000;

/** Members of every publishing method (app-developers 3). */
export const PUBLICATION = {
  data: publishData,
  json: publishJson,
  /** Delivers only to live subscribers: offset 0, an empty epoch, no recovery. */
  skip_history: flag,
  /** As `skip_history`, and a subscriber with more than 64 KiB queued does not get it. */
  volatile: flag,
  /** `false`: sent in full; absent: as the channel option `delta` says. */
  delta: nullable(flag),
  /** Not newer than the channel's last one: suppressed. 0: unversioned. */
  version: uint64,
  version_epoch: text,
} as const;

/** Further members of a single publication. */
export const PUBLICATION_EXTRAS = { ...PUBLICATION, tags: textMap, idempotency_key: text } as const;

/**
 * A message with the members of {@link PUBLICATION}, of which `data` and `json` exclude each other. What a caller leaves
 * out is not sent: publications are small and many, and an older service need not know the member.
 */
export function publicationMessage<const S extends Shape>(
  shape: S,
  ...aliases: [aliases?: Readonly<Record<string, readonly string[]>>]
): Field<Message<S>> {
  const field = message(shape, ...aliases);
  return {
    ...field,
    write(value) {
      requirePayload(value);
      const there = Object.entries(value).filter(isThere);
      return Object.fromEntries(there.map(([name, member]) => [name, shape[name]?.write(member)]));
    },
    read(value, path, unknown) {
      if (!isRecord(value) || value['json'] === undefined || isAbsent(value['data'])) {
        return field.read(value, path, unknown);
      }
      // `json: null` beside `data` counts as absent.
      const { json, ...others } = value;
      if (json === null || (json instanceof JsonSource && json.text === 'null')) {
        return field.read(others, path, unknown);
      }
      const where = path === '' ? 'data' : `${path}.data`;
      throw new ShapeError({
        problem: 'twice',
        path: where,
        expected: 'and json exclude each other: give one',
      });
    },
  };
}

/** @throws MsgError MSG_INVALID_ARGUMENT for a payload that is present and undefined, which is a mistake */
function requirePayload(members: Readonly<Record<string, unknown>>): void {
  const { data, json } = members;
  if (data !== undefined || json !== undefined) return;
  for (const name of ['data', 'json']) if (name in members) requireJsonValue(undefined, name);
}

function isThere([, member]: [string, unknown]): boolean {
  return member !== undefined;
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}
