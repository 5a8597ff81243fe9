import assert from 'node:assert/strict';
import { DisconnectCode, UnsubscribeCode } from '@msg/protocol';
import type { Control, ControlCommand, SurveyAnswer } from '../control/contract.ts';

import type { ContractCase } from './contract-case.ts';

/** One started node of a control bus, with the commands that it received. */
export interface ControlledNode {
  readonly id: string;
  readonly control: Control;
  /** Commands of other nodes, in order of arrival. */
  readonly executed: readonly ControlCommand[];
}

/** Several nodes on one empty backend. */
export interface ControlSubject {
  /** At least one; each answers surveys with {@link answerSurvey} and its id. */
  readonly nodes: readonly ControlledNode[];
  /** Polls until the condition holds; rejects after a deadline. */
  eventually(what: string, holds: () => boolean): Promise<void>;
}

/** The answer to surveys that the nodes of a subject must give. */
export async function answerSurvey(
  nodeId: string,
  operation: string,
  data: Uint8Array,
): Promise<SurveyAnswer> {
  if (operation !== 'echo') return { code: 404, data: new Uint8Array(0) };
  return { code: 0, data: new TextEncoder().encode(`${nodeId}:${new TextDecoder().decode(data)}`) };
}

const COMMANDS: readonly ControlCommand[] = [
  {
    kind: 'unsubscribe',
    target: { user: 'u' },
    channel: 'c',
    unsubscribe: { code: UnsubscribeCode.ServerUnsubscribe, reason: 'r' },
  },
  {
    kind: 'disconnect',
    target: { allUsers: true },
    code: DisconnectCode.ForceDisconnect,
    reason: 'r',
    except: ['x'],
  },
  {
    kind: 'refresh',
    target: { user: '', client: 'id' },
    expiry: { at: 1_767_323_045_000, clientRefresh: false },
    info: null,
  },
];

function firstOf(subject: ControlSubject): ControlledNode {
  const [first] = subject.nodes;
  assert.ok(first);
  return first;
}

/** Everything a control bus promises. */
export const CONTROL_CONTRACT: readonly ContractCase<ControlSubject>[] = [
  {
    name: 'every node knows all live nodes',
    async holds(subject) {
      const ids = subject.nodes.map(({ id }) => id).sort();
      for (const { id, control } of subject.nodes) {
        await subject.eventually(`${id} knows all nodes`, () => control.nodes().length === ids.length);
        assert.deepEqual([...control.nodes()].sort(), ids);
      }
    },
  },
  {
    name: 'a command reaches every other node once, in order, and never its own',
    async holds(subject) {
      const sender = firstOf(subject);
      for (const command of COMMANDS) await sender.control.broadcast(command);
      for (const node of subject.nodes) {
        if (node === sender) continue;
        await subject.eventually(
          `${node.id} got all commands`,
          () => node.executed.length >= COMMANDS.length,
        );
        assert.deepEqual(node.executed, COMMANDS);
      }
      assert.deepEqual(sender.executed, []);
    },
  },
  {
    name: 'a survey collects the answer of every node, or of the one asked',
    async holds(subject) {
      const asker = firstOf(subject);
      await subject.eventually(
        'all nodes are known',
        () => asker.control.nodes().length === subject.nodes.length,
      );
      const hello = new TextEncoder().encode('hello');
      const answers = await asker.control.survey('echo', hello);
      for (const { id } of subject.nodes) {
        assert.equal(answers.get(id)?.code, 0);
        assert.equal(new TextDecoder().decode(answers.get(id)?.data), `${id}:hello`);
      }
      for (const { id } of subject.nodes) {
        assert.deepEqual([...(await asker.control.survey('echo', hello, id)).keys()], [id]);
        assert.equal((await asker.control.survey('other', hello, id)).get(id)?.code, 404);
      }
      assert.equal((await asker.control.survey('echo', hello, 'absent')).size, 0);
    },
  },
];
