// Bodies of the RPC and commands of clients, valid ones with something else in them: a coded answer, and a refused one
// changes nothing. npm run fuzz:append is the long form.
import { isDeepStrictEqual } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Embedded, embed, stopEmbedded } from '../support/embedded.ts';
import { closeClients, codeOf, stockClient } from '../support/stock-client.ts';
import { mutated, seeded, shown } from './mutations.ts';
import { type Answer, OneConnection } from './one-connection.ts';

const RUNS = 1500;
/** Commands that are under way together. */
const TOGETHER = 30;
const TIMEOUT_MS = 240_000;
const FIRST_SEED = Number(process.env['MSG_SEED'] ?? Date.now() % 2 ** 31);
/** A round has a service, and tokens, of its own. */
const ROUNDS = Number(process.env['MSG_FUZZ_ROUNDS'] ?? 1);
const SEEDS = Array.from({ length: ROUNDS }, (_, round) => FIRST_SEED + round);

const NAME = 'public:shop.chat.7.r1';
const CONTROL = 'public:shop.chat.7.control';
const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64');

let service: Embedded;
let connection: OneConnection;
const send = (method: string, body: string): Promise<Answer> => connection.post(method, body);

beforeEach(async () => {
  const options = { append: true, appendWindowMs: 0, appendMaxBytes: 4096, appendOrphanMs: 3_600_000 };
  const rules = [{ pattern: 'public:shop.**', ...options }];
  service = await embed({ channels: { rules, open: [{ pattern: 'public:shop.**' }] } });
  connection = new OneConnection(service.url, service.msg.tokens.issueManagement('ann').token);
});
afterEach(async () => {
  connection.close();
  closeClients();
  await stopEmbedded();
});

const REFUSED: ReadonlySet<number> = new Set([400, 404, 409, 412]);
const CODED = /^MSG_(?!INTERNAL|BROKER)/;
const ANSWERED: ReadonlySet<number | 'ok'> = new Set(['ok', 102, 107, 111]);

/** What the service knows of the channel. */
async function stateOf(): Promise<Record<string, unknown>> {
  const { body } = await send('AppendState', JSON.stringify({ name: NAME, with_document: true }));
  return body;
}

/** A valid request that comes next, of every kind. */
function requests(seq: number, message: string): readonly object[] {
  const head = { name: NAME, message, producer: 'p', seq };
  return [
    { ...head, text: 'so ' },
    { ...head, ops: [{ text: 'far' }, { meta: base64({ model: 'x' }) }] },
    { ...head, ops: [{ text: '!' }, { status: 'complete', reason: 'stop' }] },
    { ...head, run: 'r1', input: 'i1', orphan_seconds: 3600, take_over: false, ops: [] },
    { ...head, format: 'items', ops: [{ item: base64({ type: 'a' }), open: 'delta' }, { text: 'x' }] },
  ];
}

describe.each(SEEDS)('fuzzing append streams, seed %i', seed => {
  it(`${RUNS} bodies of Append`, { timeout: TIMEOUT_MS }, async () => {
    const random = seeded(seed);
    let [message, seq, before] = ['m0', 1, await stateOf()];
    const statuses = new Set<number>();
    for (let run = 1; run <= RUNS; run++) {
      const body = mutated(random, random.of(requests(seq, message)));
      const { status, body: answer, code } = await send('Append', body);
      statuses.add(status);
      const what = (): string => `run ${run}: ${shown(body)} → ${JSON.stringify(answer)}`;
      let state = await stateOf();
      if (status !== 200) {
        if (!REFUSED.has(status) || !CODED.test(code ?? '')) throw new Error(what());
        if (!isDeepStrictEqual(state, before)) expect(state, what()).toEqual(before);
      }
      // Whatever was opened can be ended, and the next message begins.
      if (run % 20 === 0 && state['status'] === 'streaming') {
        const { message: id, producer, expected_seq: next } = state;
        const end = { name: NAME, message: id, producer, seq: next, ops: [{ status: 'failed' }] };
        expect((await send('Append', JSON.stringify(end))).status, what()).toBe(200);
        state = await stateOf();
      }
      const isOpen = state['status'] === 'streaming';
      message = isOpen ? String(state['message']) : `m${run}`;
      seq = isOpen ? Number(state['expected_seq']) : 1;
      before = state;
    }
    expect([statuses.has(200), statuses.has(400)]).toEqual([true, true]);
    console.log(`seed ${seed}: ${RUNS} bodies of Append, ${(seed - FIRST_SEED + 1) * RUNS} in all`);
  });

  it(`${RUNS} commands to a control name`, { timeout: TIMEOUT_MS }, async () => {
    const random = seeded(seed);
    const append = (message: string, seq: number, op: object) =>
      send('Append', JSON.stringify({ name: NAME, message, producer: 'p', seq, ops: [op] }));
    expect((await append('m', 1, { text: 'x' })).status).toBe(200);
    const scopes = [{ pattern: CONTROL, verbs: ['publish' as const] }];
    const { access_token: token } = await service.msg.tokens.issueAccess({ subject: 'ann', scopes });
    const client = stockClient(service.websocketUrl, { token, timeout: 60_000, maxServerPingDelay: 120_000 });
    client.connect();
    await client.ready(20_000);
    let connections = 0;
    client.on('connecting', () => connections++);
    const codes = new Set<number | 'ok'>();
    const sent = async (run: number): Promise<void> => {
      const command = { cancel: { channel: NAME, input: `i${run}`, reason: 'enough' } };
      const body = mutated(random, random.of([command, { cancel: { channel: NAME, message: 'm' } }]));
      let data: unknown = body;
      try {
        data = JSON.parse(body);
      } catch {
        // A command that is no JSON goes as a string.
      }
      const code = await codeOf(client.publish(CONTROL, data));
      codes.add(code);
      if (!ANSWERED.has(code)) throw new Error(`run ${run}: ${shown(body)} → ${code}`);
    };
    for (let run = 1; run <= RUNS; run += TOGETHER)
      await Promise.all(Array.from({ length: TOGETHER }, (_, n) => sent(run + n)));
    expect(connections).toBe(0);
    expect([codes.has('ok'), codes.has(107)]).toEqual([true, true]);
    // The channel still takes messages: the one that was cancelled ends, and another one begins.
    await append('m', 2, { status: 'cancelled' });
    expect((await append('n', 1, { text: 'x' })).status).toBe(200);
    console.log(`seed ${seed}: ${RUNS} commands, ${(seed - FIRST_SEED + 1) * RUNS} in all`);
  });
});
