import { once } from 'node:events';
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import type { Control, ControlCommand, SurveyAnswer } from '@msg/engine';
import {
  APPEND_CONTRACT,
  answerSurvey,
  BROKER_CONTRACT,
  CONTROL_CONTRACT,
  type ControlledNode,
  POSITION_CONTRACT,
  PRESENCE_CONTRACT,
} from '@msg/engine/testing';
import { type LinkSizes, threadHost } from '@msg/engine/threads';
import { ManualClock } from '@msg/foundation/clock/testing';
import { eventually } from '@msg/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ContractRequest, NodeNews, NodeQuestion } from './contract-worker.ts';
import { LINK_SIZES } from './thread-subjects.ts';
import { THREAD_FLAGS } from './two-threads.ts';

const SILENT = { publication() {}, appended() {}, join() {}, leave() {} };

let worker: Worker;
beforeAll(async () => {
  worker = new Worker(new URL('./contract-worker.ts', import.meta.url), { execArgv: THREAD_FLAGS });
  await once(worker, 'online');
});
afterAll(async () => {
  await worker.terminate();
});

/** Lets the worker hold a case; main moves the clock when it is asked to. */
async function holdsThere(kind: 'broker' | 'presence', name: string, sizes: LinkSizes): Promise<void> {
  const clock = new ManualClock();
  const errors: unknown[] = [];
  const host = threadHost({ clock, sizes, onError: error => errors.push(error) });
  await host.backends.broker.start(SILENT);
  const attached = host.attach(1);
  worker.postMessage({ kind, name, link: attached.link } satisfies ContractRequest, attached.transferList);
  for (;;) {
    const [message] = await once(worker, 'message');
    if (message.kind === 'advance') {
      await clock.advance(message.ms);
      worker.postMessage('advanced');
      continue;
    }
    expect(message).toEqual({ kind: 'held' });
    break;
  }
  await attached.detach();
  expect([errors, host.channelCount, attached.missedBells]).toEqual([[], 0, 0]);
  await host.backends.broker.stop();
}

/** A node whose control bus is in the worker. */
class RemoteNode implements ControlledNode {
  readonly id: string;
  readonly executed: ControlCommand[] = [];
  readonly control: Control;
  readonly #port: MessagePort;
  readonly #waiting = new Map<number, (result: unknown) => void>();
  #nodes: readonly string[] = [];
  #lastId = 0;

  constructor(id: string, port: MessagePort) {
    this.id = id;
    this.#port = port;
    port.on('message', (news: NodeNews) => this.#told(news));
    this.control = {
      start: async () => {},
      stop: async () => port.close(),
      nodes: () => this.#nodes,
      broadcast: async command => void (await this.#ask({ kind: 'broadcast', command })),
      survey: async (operation, data, toNode) => {
        const answers = await this.#ask({ kind: 'survey', arguments: [operation, data, toNode] });
        return answers as ReadonlyMap<string, SurveyAnswer>;
      },
    };
  }

  #ask(request: NodeQuestion): Promise<unknown> {
    const id = ++this.#lastId;
    this.#port.postMessage({ ...request, id });
    return new Promise(resolve => this.#waiting.set(id, resolve));
  }

  #told(news: NodeNews): void {
    if (news.kind === 'done') this.#waiting.get(news.id)?.(news.result);
    else {
      this.#nodes = news.nodes;
      this.executed.splice(0, Infinity, ...news.executed);
    }
  }
}

describe.each(LINK_SIZES)('thread backends keep the contracts over two threads: %s', (_, sizes) => {
  it.each([...BROKER_CONTRACT, ...APPEND_CONTRACT, ...POSITION_CONTRACT])('broker: $name', ({ name }) =>
    holdsThere('broker', name, sizes),
  );

  it.each(PRESENCE_CONTRACT)('presence: $name', ({ name }) => holdsThere('presence', name, sizes));

  it.each(CONTROL_CONTRACT)('control: $name', async ({ holds }) => {
    const host = threadHost({ nodeId: 'p', sizes });
    const { control } = host.backends;
    const executed: ControlCommand[] = [];
    await control.start('p', {
      version: '1.2.3',
      execute: command => void executed.push(command),
      survey: (operation, data) => answerSurvey('p', operation, data),
    });
    const attached = [host.attach(1), host.attach(2)];
    const remote = attached.map(({ link, transferList }) => {
      const { port1, port2 } = new MessageChannel();
      const request: ContractRequest = { kind: 'node', link, port: port2 };
      worker.postMessage(request, [...transferList, port2]);
      return new RemoteNode(link.nodeId, port1);
    });
    await eventually('all nodes have started', () => control.nodes().length === 3);
    await holds({ nodes: [...remote, { id: 'p', control, executed }], eventually });
    for (const node of remote) await node.control.stop();
    for (const thread of attached) await thread.detach();
    expect(control.nodes()).toEqual(['p']);
    await control.stop();
  });
});
