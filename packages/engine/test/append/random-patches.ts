import type { AppendFormat, AppendOp } from '@msg/engine';
import { appendPatch, checksum } from '@msg/protocol/internal';
import { Centrifuge as Stock580 } from 'centrifuge';
import { Centrifuge as Stock574 } from 'centrifuge-5.7.4';
import * as fossil from 'fossil-delta';
import type { AppendDocument } from '#src/append/document.ts';
import type { DocumentState } from '#src/append/document-state.ts';
import { Prng } from '../model/prng.ts';
import { grow, json, start, text } from './documents.ts';

/** The delta decoder inside the stock client. */
interface StockCodec {
  applyDeltaIfNeeded(pub: { data: string; delta?: boolean }, base: Uint8Array): { newData: unknown };
}
const stockCodecs = [Stock574, Stock580].map(Client => {
  const client: unknown = new (Client as typeof Stock580)('ws://localhost', { websocket: class {} });
  return (client as { _codec: StockCodec })._codec;
});

const TEXTS = [
  '',
  'a',
  'tok ',
  '"',
  '\\',
  '\n',
  '\u0001',
  'é',
  'ß日本語',
  '👋',
  'lorem ipsum dolor',
  '{"x":1}',
];

function randomOp(prng: Prng, document: AppendDocument): AppendOp {
  const kind = prng.below(10);
  if (kind === 0) return { meta: json({ n: prng.below(1000), s: prng.pick(TEXTS) }) };
  if (document.tail === 'text' || (document.tail === 'open' && kind < 7))
    return { text: Array.from({ length: prng.below(4) }, () => prng.pick(TEXTS)).join('') };
  const value = prng.chance(50) ? { type: 'x', s: prng.pick(TEXTS) } : {};
  return prng.chance(60)
    ? { item: json(value), open: 'delta' }
    : { item: json(prng.pick([1, null, value, []])) };
}

/**
 * Grows random documents and applies the patches between their states with fossil-delta and inside the stock clients;
 * throws for one that does not give the document. Returns how many patches there were.
 */
export function checkRandomPatches(seed: number, count: number): number {
  const prng = new Prng(seed);
  let patches = 0;
  for (let states = 0; states < count; ) {
    const head = { run: prng.pick(['', 'r1']), input: prng.pick(['', 'i1']) };
    const document = start(prng.pick<AppendFormat>(['text', 'items']), head);
    const earlier: DocumentState[] = [];
    for (let steps = prng.between(1, 40); steps > 0; steps--, states++) {
      const last = steps === 1 && prng.chance(50);
      const op: AppendOp = last ? { status: 'complete', reason: prng.pick(TEXTS) } : randomOp(prng, document);
      const to = grow(document, op);
      if (checksum(to.toBytes()) !== to.checksum) throw new Error(`checksum of ${text(to)}`);
      const from = prng.chance(80) ? earlier.at(-1) : earlier[prng.below(earlier.length || 1)];
      earlier.push(to);
      if (from !== undefined && applies(from, to, stockCodecs[patches & 1] as StockCodec)) patches++;
    }
  }
  return patches;
}

/** Applies the patch between two states, if there is one. */
function applies(from: DocumentState, to: DocumentState, codec: StockCodec): boolean {
  const patch = appendPatch(from, to);
  if (patch === null) return false;
  const whole = to.toBytes();
  if (patch.length >= whole.length) throw new Error(`a patch that is not smaller than ${text(to)}`);
  const base = from.toBytes();
  const applied = fossil.applyDelta(base as never, patch as never);
  if (!Buffer.from(applied as never).equals(whole)) throw new Error(`fossil-delta: ${text(to)}`);
  const { newData } = codec.applyDeltaIfNeeded({ data: Buffer.from(patch).toString(), delta: true }, base);
  if (JSON.stringify(newData) !== JSON.stringify(JSON.parse(text(to))))
    throw new Error(`client: ${text(to)}`);
  return true;
}
