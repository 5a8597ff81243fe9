import { describe, expect, it } from 'vitest';
import {
  dropClientId,
  dropJsonPosition,
  dropMicroseconds,
  dropScriptPlace,
  dropTreeSizes,
  sortFields,
  sortJsonKeys,
  sortMembers,
  sortUnsubscribed,
} from '../../src/fuzz/normalise.ts';
import { type Node, repliesOf, shownNode } from '../../src/fuzz/replies.ts';
import { Failure } from '../../src/redis/reply.ts';
import { encoded } from '../../src/redis/resp.ts';

function node(answer: Parameters<typeof encoded>[0]): Node {
  return repliesOf(encoded(answer, 2))[0] as Node; // one reply
}

/** Equal after a normalisation, and told apart without it. */
function expectEqual(first: Node, second: Node, normalise: (reply: Node) => Node): void {
  expect(shownNode(first)).not.toBe(shownNode(second));
  expect(shownNode(normalise(first))).toBe(shownNode(normalise(second)));
}

describe('a normalisation leaves out what is free, and nothing else', () => {
  it('sortMembers: the order of SMEMBERS', () => {
    expectEqual(node(['a', 'b']), node(['b', 'a']), reply => sortMembers(reply, 'smembers'));
    expect(sortMembers(node(['b', 'a']), 'lrange')).toEqual(node(['b', 'a']));
  });

  it('sortFields: the order of fields, each with its value', () => {
    const sort = (reply: Node): Node => sortFields(reply, 'hgetall');
    expectEqual(node(['a', '1', 'b', '2']), node(['b', '2', 'a', '1']), sort);
    expect(sort(node(['a', '1', 'b', '2']))).not.toEqual(sort(node(['a', '2', 'b', '1'])));
    expectEqual(node(['0', ['a', '1', 'b', '2']]), node(['0', ['b', '2', 'a', '1']]), reply =>
      sortFields(reply, 'hscan'),
    );
    expectEqual(node(['a', 'b']), node(['b', 'a']), reply => sortFields(reply, 'hkeys'));
  });

  it('sortJsonKeys: the order of keys of an object, also in an array of replies', () => {
    expectEqual(node(['{"a":1,"b":{"c":1,"d":2}}']), node(['{"b":{"d":2,"c":1},"a":1}']), sortJsonKeys);
    expect(sortJsonKeys(node('{"a":[1,2]}'))).not.toEqual(sortJsonKeys(node('{"a":[2,1]}')));
    expect(sortJsonKeys(node('{no JSON'))).toEqual(node('{no JSON'));
  });

  it('dropScriptPlace: digest and line of an error in a script', () => {
    const first = node(new Failure('ERR syntax error script: aa, on @user_script:3.'));
    expectEqual(first, node(new Failure('ERR syntax error script: bb, on @user_script:4.')), dropScriptPlace);
    expect(dropScriptPlace(first)).toEqual(node(new Failure('ERR syntax error')));
  });

  it('dropJsonPosition: position and token of what is not JSON', () => {
    const [first, second] = ['T_END at character 1', 'invalid token at character 2'].map(rest =>
      node(new Failure(`ERR Expected value but found ${rest}`)),
    ) as [Node, Node];
    expectEqual(first, second, dropJsonPosition);
  });

  it('dropClientId: numbers of connections', () => {
    expectEqual(node(7), node(8), reply => dropClientId(reply, 'client'));
    expectEqual(node(['proto', 2, 'id', 7]), node(['proto', 2, 'id', 8]), reply =>
      dropClientId(reply, 'hello'),
    );
    expect(dropClientId(node(['id', 7]), '')).toEqual(node(['id', 7]));
  });

  it('dropTreeSizes: the layout of a stream', () => {
    const first = node(['length', 1, 'radix-tree-nodes', 2]);
    expectEqual(first, node(['length', 1, 'radix-tree-nodes', 3]), reply => dropTreeSizes(reply, 'xinfo'));
    expect(dropTreeSizes(first, 'xinfo').items?.[1]?.text).toBe('1');
  });

  it('dropMicroseconds: the time', () => {
    expectEqual(node(['1', '2']), node(['1', '3']), reply => dropMicroseconds(reply, 'time'));
    expect(dropMicroseconds(node('1'), 'get')).toEqual(node('1'));
  });

  it('sortUnsubscribed: the order in which all channels are left', () => {
    const left = (names: readonly string[]): string =>
      sortUnsubscribed([...names.map((name, at) => node(['unsubscribe', name, 1 - at])), node('a')])
        .map(shownNode)
        .join();
    expect(left(['a', 'b'])).toBe(left(['b', 'a']));
    expect(left(['a', 'b'])).not.toBe(left(['a', 'c']));
  });
});
