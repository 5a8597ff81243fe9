import type { Payload, Publication } from '@msg/protocol';
import type { PublishOptions } from './contract.ts';

const NO_TAGS: ReadonlyMap<string, string> = new Map();

/** The publication that a publish adds to the stream. `time` is Unix milliseconds; it is stored, not sent. */
export function newPublication(
  data: Payload,
  offset: number,
  { info, tags = NO_TAGS }: PublishOptions,
  time: number,
): Publication {
  return {
    data,
    info: info ?? null,
    offset,
    tags,
    delta: false,
    time,
    channel: '',
    key: '',
    removed: false,
    score: 0,
    epoch: '',
    prevData: null,
    version: 0,
  };
}
