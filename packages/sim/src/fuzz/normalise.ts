import type { Bytes } from '../redis/reply.ts';
import type { Node } from './replies.ts';

/** The command or script whose reply it is, in small letters. */
type Normalisation = (reply: Node, call: Bytes) => Node;

/** Members of a set come in any order, and so do records that a sweep changed. */
export function sortMembers(reply: Node, call: Bytes): Node {
  if (!['smembers', 'registry/sweep'].includes(call) || reply.items === undefined) return reply;
  return { ...reply, items: reply.items.toSorted(byText) };
}

/** Fields of a hash that is not small come in any order. */
export function sortFields(reply: Node, call: Bytes): Node {
  if (call === 'hkeys' && reply.items !== undefined) return { ...reply, items: reply.items.toSorted(byText) };
  if (call === 'hscan' && reply.items?.length === 2) {
    const [cursor, batch] = reply.items as [Node, Node]; // two items
    return { ...reply, items: [cursor, sortedPairs(batch)] };
  }
  return call === 'hgetall' || call === 'presence/get' ? sortedPairs(reply) : reply;
}

function sortedPairs(reply: Node): Node {
  const { items } = reply;
  if (items === undefined) return reply;
  const pairs = items.flatMap((_, at) => (at % 2 === 0 ? [items.slice(at, at + 2)] : []));
  return { ...reply, items: pairs.toSorted(([left], [right]) => byText(left, right)).flat() };
}

function byText(left: Node | undefined, right: Node | undefined): number {
  return (left?.text ?? '') < (right?.text ?? '') ? -1 : 1;
}

/** Keys of an object that `cjson.encode` wrote come in any order. */
export function sortJsonKeys(reply: Node): Node {
  const { text, items } = reply;
  if (items !== undefined) return { ...reply, items: items.map(sortJsonKeys) };
  if (text === undefined || !/[{[]/.test(text[0] ?? '')) return reply;
  try {
    return { ...reply, text: JSON.stringify(JSON.parse(text), sortedKeys) };
  } catch {
    return reply;
  }
}

function sortedKeys(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([left], [right]) => (left < right ? -1 : 1)));
}

/** Where a script failed: its digest and line. */
export function dropScriptPlace(reply: Node): Node {
  if (reply.mark !== '-' || reply.text === undefined) return reply;
  const at = reply.text.indexOf(' script: ');
  const text = at === -1 ? reply.text : reply.text.slice(0, at);
  return { ...reply, text: text.replace(/user_script:\d+: /, 'user_script: ') };
}

/** The position and the token of what `cjson.decode` does not understand. */
export function dropJsonPosition(reply: Node): Node {
  if (reply.mark !== '-' || reply.text === undefined) return reply;
  const [expected = '', rest] = reply.text.split(' but found ', 2);
  if (rest === undefined || !expected.includes('Expected ')) return reply;
  const [, place = ''] = rest.split(' at character ', 2);
  return { ...reply, text: expected + place.replace(/^\d+/, '') };
}

/** Numbers of connections, which a server gives in the order of their coming. */
export function dropClientId(reply: Node, call: Bytes): Node {
  if (call === 'client' && reply.mark === ':') return { mark: ':', text: 'count or id' };
  const { items } = reply;
  if (items === undefined) return reply;
  const isHello = items.some(({ text }) => text === 'proto');
  return {
    ...reply,
    items: items.map((item, at) =>
      isHello && items[at - 1]?.text === 'id' ? { mark: ':', text: 'id' } : dropClientId(item, ''),
    ),
  };
}

/** UNSUBSCRIBE without channels leaves all of them in any order, also within EXEC; their numbers fall in any case. */
export function sortUnsubscribed(replies: readonly Node[]): readonly Node[] {
  const sorted: Node[] = [];
  for (let at = 0; at < replies.length; ) {
    const word = unsubscribed(replies[at]);
    let end = at + 1;
    while (word !== undefined && unsubscribed(replies[end]) === word) end++;
    const run = replies.slice(at, end);
    const names = run.map(({ items }) => items?.[1]).toSorted(byText);
    sorted.push(
      ...(word === undefined ? run.map(withinExec) : run.map((node, index) => renamed(node, names[index]))),
    );
    at = end;
  }
  return sorted;
}

function withinExec(node: Node): Node {
  return node.items === undefined ? node : { ...node, items: sortUnsubscribed(node.items) };
}

function unsubscribed({ items }: Node = { mark: '' }): Bytes | undefined {
  const word = items?.[0]?.text;
  return word === 'unsubscribe' || word === 'sunsubscribe' ? word : undefined;
}

function renamed(node: Node, name: Node | undefined): Node {
  const { items } = node;
  if (name === undefined || unsubscribed(node) === undefined || items === undefined) return node;
  return { ...node, items: items.with(1, name) };
}

/** How the nodes of a stream's tree are laid out. */
export function dropTreeSizes(reply: Node, call: Bytes): Node {
  if (call !== 'xinfo' || reply.items === undefined) return reply;
  const items = reply.items.map((item, at) =>
    reply.items?.[at - 1]?.text?.startsWith('radix-tree-') ? { mark: ':', text: 'size' } : item,
  );
  return { ...reply, items };
}

/** Microseconds of the store's clock. */
export function dropMicroseconds(reply: Node, call: Bytes): Node {
  return call === 'time' || call === 'stores/time' ? { mark: 'time' } : reply;
}

/** What the specification of the simulation leaves free (6.3, 6.5). */
const NORMALISATIONS: readonly Normalisation[] = [
  sortMembers,
  sortFields,
  sortJsonKeys,
  dropScriptPlace,
  dropJsonPosition,
  dropClientId,
  dropTreeSizes,
  dropMicroseconds,
];

/** A reply without what is free. */
export function normalised(reply: Node, call: Bytes): Node {
  return NORMALISATIONS.reduce((node, normalise) => normalise(node, call), reply);
}
