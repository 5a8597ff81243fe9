import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Embedded } from '../support/embedded.ts';
import { embed, stopEmbedded } from '../support/embedded.ts';
import { rpcOf } from '../support/rpc.ts';

const NAME = 'public:shop.news';
const BINARY = Uint8Array.of(0xff, 0xfe, 0x00, 0x01);

let service: Embedded;
let rpc: ReturnType<typeof rpcOf>;

beforeEach(async () => {
  service = await embed({ channels: { rules: [{ pattern: 'public:bare.**', historySize: 0 }] } });
  rpc = rpcOf(service.url, service.msg.tokens.issueManagement().token);
  await service.msg.channels.openPublic(NAME);
});
afterEach(stopEmbedded);

type Row = Readonly<Record<string, unknown>>;
async function rows(request: object): Promise<readonly Row[]> {
  const { body } = await rpc('History', { name: NAME, ...request });
  return body['publications'] as readonly Row[]; // as the method answers
}

describe('a payload in the history', () => {
  it('is shown as its exact text, or as base64', async () => {
    const texts = ['{"a": 1.0, "a":1e3}', 'plain words', '"ä"'];
    for (const text of texts) await service.msg.publish(NAME, new TextEncoder().encode(text));
    await service.msg.publish(NAME, BINARY);
    expect((await rows({})).map(({ data, encoding, truncated }) => [data, encoding, truncated])).toEqual([
      [texts[0], 'json', false],
      [texts[1], 'text', false],
      [texts[2], 'json', false],
      [Buffer.from(BINARY).toString('base64'), 'base64', false],
    ]);
  });

  it('is cut between characters', async () => {
    await service.msg.publish(NAME, new TextEncoder().encode('aä€𝄞z'));
    const cuts = [1, 2, 3, 5, 6, 9, 10, 11].map(async max_payload_bytes => {
      const [row] = await rows({ max_payload_bytes });
      return [row?.['data'], row?.['truncated'], row?.['size']];
    });
    expect(await Promise.all(cuts)).toEqual([
      ['a', true, 11],
      ['a', true, 11],
      ['aä', true, 11],
      ['aä', true, 11],
      ['aä€', true, 11],
      ['aä€', true, 11],
      ['aä€𝄞', true, 11],
      ['aä€𝄞z', false, 11],
    ]);
  });

  it('does not make an answer longer than two megabytes: it ends early', async () => {
    const long = new Uint8Array(900_000).fill(0x61);
    for (let n = 0; n < 4; n++) await service.msg.publish(NAME, long);
    const { body } = await rpc('History', { name: NAME, max_payload_bytes: 1_048_576 });
    expect([(body['publications'] as readonly Row[]).length, body['more']]).toEqual([2, true]);
  });
});

describe('a look at the history', () => {
  it('creates no stream and keeps none alive', async () => {
    const { body } = await rpc('History', { name: NAME });
    expect(body).toEqual({
      offset: 0,
      epoch: '',
      first_offset: 0,
      kept: true,
      publications: [],
      more: false,
    });
    const { epoch } = await service.msg.publish(NAME, { n: 1 });
    expect((await rpc('History', { name: NAME })).body).toMatchObject({ offset: 1, epoch, first_offset: 1 });
  });

  it('does not touch the channel', async () => {
    const before = await service.msg.channels.get(NAME);
    await rpc('History', { name: NAME });
    expect(await service.msg.channels.get(NAME)).toEqual(before);
  });

  it('works on a closed channel, and finds nothing where history is off', async () => {
    await service.msg.publish(NAME, { n: 1 });
    await service.msg.channels.closePublic(NAME);
    expect(await rows({})).toHaveLength(1);
    await service.msg.channels.openPublic('public:bare.a');
    await service.msg.publish('public:bare.a', { n: 1 });
    const { body } = await rpc('History', { name: 'public:bare.a' });
    expect(body).toEqual({
      offset: 0,
      epoch: '',
      first_offset: 0,
      kept: false,
      publications: [],
      more: false,
    });
  });

  it('follows the pages in both directions without a gap', async () => {
    for (let n = 1; n <= 7; n++) await service.msg.publish(NAME, { n });
    const walk = async (reverse: boolean): Promise<number[]> => {
      const offsets: number[] = [];
      let from_offset = 0;
      for (;;) {
        const { body } = await rpc('History', { name: NAME, reverse, limit: 3, from_offset });
        const page = (body['publications'] as readonly { readonly offset: number }[]).map(
          ({ offset }) => offset,
        );
        offsets.push(...page);
        if (body['more'] !== true) return offsets;
        from_offset = (page.at(-1) ?? 0) + (reverse ? -1 : 1);
      }
    };
    expect(await walk(false)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(await walk(true)).toEqual([7, 6, 5, 4, 3, 2, 1]);
  });

  it.each([
    [{ limit: 201 }, 'limit must be from 1 to 200; got 201'],
    [{ limit: -1 }, 'limit must be from 1 to 200; got -1'],
    [{ max_payload_bytes: 1_048_577 }, 'max_payload_bytes must be from 1 to 1048576; got 1048577'],
    [{ max_payload_bytes: -1 }, 'max_payload_bytes must be from 1 to 1048576; got -1'],
  ])('refuses %j', async (request, text) => {
    const { status, body } = await rpc('History', { name: NAME, ...request });
    expect([status, body['msg']]).toEqual([400, text]);
  });
});
