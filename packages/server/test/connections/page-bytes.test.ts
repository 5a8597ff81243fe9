import { describe, expect, it } from 'vitest';
import type { PlacedRow } from '#src/connections/local.ts';
import type { ConnectionQuery } from '#src/connections/query.ts';
import { type ConnectionHandlerParts, connectionHandlers } from '#src/rpc/connections.ts';

const BYTES = 64_000;
const CONNECTIONS = 450;

function placed(index: number, userLength: number): PlacedRow {
  const client = `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
  return {
    key: index,
    client,
    row: {
      client,
      user: 'ü'.repeat(userLength),
      node: '66b639ca-aee5-4bc1-8fe9-a847cec6ef11',
      transport: 'websocket',
      encoding: 'protobuf',
      address: '203.0.113.250',
      client_name: 'js',
      client_version: '',
      connected_at: '2026-11-24T13:22:02.172Z',
      subscriptions: 12,
      queue_bytes: 0,
      expires_unix: 1_789_000_000,
      rests_on: '2026-11-24-7c1f',
      recording: false,
    },
  };
}

/** The handlers over so many connections, whose users have names of that length. */
function handlersOf(userLength: number) {
  const all = Array.from({ length: CONNECTIONS }, (_, index) => placed(index, userLength));
  const connections = {
    page: async ({ limit, after }: ConnectionQuery) => {
      const rest = all.filter(({ key }) => after === undefined || key > after.key);
      return { rows: rest.slice(0, limit), total: all.length, more: rest.length > limit, missing: [] };
    },
  };
  return connectionHandlers({ connections } as unknown as ConnectionHandlerParts); // what the method asks
}

const REQUEST = {
  user: '',
  client: '',
  transport: '',
  address: '',
  name: '',
  node: '',
  min_queue_bytes: 0,
  sort: 'age',
  descending: false,
  limit: 200,
  cursor: '',
};
const CALL = { principal: { kind: 'anonymous' } } as never;

describe('a page of 200 connections', () => {
  it.each([0, 10, 255, 40_000])(
    'is at most 64 kB of JSON with users of %i characters, and the pages together have every row once',
    async userLength => {
      const { ListConnections } = handlersOf(userLength);
      const seen: string[] = [];
      const sizes: number[] = [];
      let cursor = '';
      do {
        const page = await ListConnections({ ...REQUEST, cursor }, CALL);
        seen.push(...page.connections.map(({ client }) => client));
        sizes.push(page.connections.length);
        // One row that is longer than a page is a page.
        if (page.connections.length > 1)
          expect(Buffer.byteLength(JSON.stringify(page))).toBeLessThanOrEqual(BYTES);
        cursor = page.next_cursor;
      } while (cursor !== '');
      expect(seen).toEqual(Array.from({ length: CONNECTIONS }, (_, index) => placed(index, 0).client));
      expect(Math.max(...sizes) > 1).toBe(userLength < 40_000);
    },
  );
});
