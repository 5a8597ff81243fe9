// What is refused of append streams, on whatever store: a coded answer, and everything as it was before.
import type { MsgOptions } from '@msg/server';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type Embedded, embed, stopEmbedded } from '../embedded.ts';
import { rpcOf } from '../rpc.ts';
import { closeClients, follow, received, stockClient } from '../stock-client.ts';
import { SIZES, TAILS } from './refused-growth.ts';
import { NUMBERS } from './refused-numbers.ts';
import { READS } from './refused-reads.ts';
import { MAX_BYTES, REQUEST } from './refused-request.ts';
import { MALFORMED, SHAPES } from './refused-shapes.ts';

/** Statuses and codes of the answers (append streams 5.1; messaging details 1.4). */
const ANSWERS = {
  MSG_INVALID_ARGUMENT: [400, 'invalid_argument'],
  MSG_APPEND_NOT_FOUND: [404, 'not_found'],
  MSG_APPEND_GAP: [412, 'failed_precondition'],
  MSG_APPEND_CLOSED: [412, 'failed_precondition'],
  MSG_APPEND_BUSY: [409, 'already_exists'],
  MSG_APPEND_FENCED: [409, 'aborted'],
  MSG_APPEND_TOO_LARGE: [400, 'out_of_range'],
  MSG_SINK_CONFIG_INVALID: [500, 'internal'],
} as const;

const ROWS = [...SHAPES, ...MALFORMED, ...TAILS, ...SIZES, ...NUMBERS, ...READS];

/** Runs every row of refused requests on a service with these options. */
export function refusesRequests(options: () => MsgOptions): void {
  let service: Embedded;
  let rpc: ReturnType<typeof rpcOf>;
  let channels = 0;

  beforeAll(async () => {
    const rule = { pattern: 'public:shop.**', append: true, appendWindowMs: 0, appendMaxBytes: MAX_BYTES };
    service = await embed({
      ...options(),
      channels: { rules: [rule], open: [{ pattern: 'public:shop.**' }] },
    });
    service.msg.sinks.register({ name: 'mail', send: async () => {} });
    rpc = rpcOf(service.url, service.msg.tokens.issueManagement('ann').token);
  });
  afterEach(closeClients);
  afterAll(stopEmbedded);

  it.each(ROWS)('$what: $code, and nothing changes', async row => {
    const { method = 'Append', before = [], request, code, meta = {}, says = '', isMalformed } = row;
    const name = `public:shop.row.${++channels}`;
    const send = (way: string, body: object) => rpc(way, { name, ...REQUEST, ...body });
    /** All that there is to know of the channel. */
    const states = async () => {
      const reads = ['', 'm', 'n'].map(message => send('AppendState', { message, with_document: true }));
      const position = await rpc('Position', { name });
      return { reads: (await Promise.all(reads)).map(({ body }) => body), position: position.body };
    };
    for (const one of before) expect((await send('Append', one)).body).toHaveProperty('seq');
    const { subscription } = await follow(stockClient(service.websocketUrl), name);
    const seen = received(subscription);
    const was = await states();
    const { status, body } = await send(method, request);
    const answer = isMalformed === true ? [400, 'malformed'] : ANSWERS[code];
    expect([status, body['code'], body['meta']]).toEqual([...answer, { code, ...meta }]);
    expect(body['msg']).toContain(says);
    expect(await states()).toEqual(was);
    const top = Number(was.position['offset']);
    expect(seen.filter(({ offset = 0 }) => offset > top)).toEqual([]);
  });
}
