// Runs the cases of contracts on backends whose other end is on the main thread.
import { type MessagePort, parentPort } from 'node:worker_threads';
import type { ControlCommand } from '@msg/engine';
import {
  APPEND_CONTRACT,
  answerSurvey,
  BROKER_CONTRACT,
  POSITION_CONTRACT,
  PRESENCE_CONTRACT,
  RecordedEvents,
} from '@msg/engine/testing';
import { type ThreadBackends, type ThreadLink, threadBackends } from '@msg/engine/threads';
import { type Clock, systemClock } from '@msg/foundation/clock';

/** What main asks for. */
export type ContractRequest =
  | { readonly kind: 'broker' | 'presence'; readonly name: string; readonly link: ThreadLink }
  | { readonly kind: 'node'; readonly link: ThreadLink; readonly port: MessagePort };

/** What a node in this thread is asked for, and what it tells. */
export type NodeQuestion =
  | { readonly kind: 'broadcast'; readonly command: ControlCommand }
  | { readonly kind: 'survey'; readonly arguments: readonly [string, Uint8Array, string | undefined] };
export type NodeRequest = NodeQuestion & { readonly id: number };
export type NodeNews =
  | {
      readonly kind: 'state';
      readonly nodes: readonly string[];
      readonly executed: readonly ControlCommand[];
    }
  | { readonly kind: 'done'; readonly id: number; readonly result: unknown };

const main = parentPort as MessagePort;
let advanced: () => void = () => {};
let advancedMs = 0;
/** The clock of the threads' backends goes with that of main. */
const clock: Clock = {
  ...systemClock,
  monotonic: () => systemClock.monotonic() + advancedMs,
};

/** Main moves its clock: timers of the streams are there. */
function advance(ms: number): Promise<void> {
  return new Promise(resolve => {
    advanced = resolve;
    advancedMs += ms;
    main.postMessage({ kind: 'advance', ms });
  });
}

async function brokerCase(name: string, { backends: { broker } }: ThreadBackends): Promise<void> {
  const found = [...BROKER_CONTRACT, ...APPEND_CONTRACT, ...POSITION_CONTRACT].find(one => one.name === name);
  const events = new RecordedEvents();
  await broker.start(events);
  for (const channel of ['a', 'b', 'c']) await broker.subscribe(channel);
  await found?.holds({ broker, events, advance });
}

async function runNode(port: MessagePort, { backends: { control, nodeId } }: ThreadBackends): Promise<void> {
  const executed: ControlCommand[] = [];
  const tell = (): void => port.postMessage({ kind: 'state', nodes: control.nodes(), executed });
  port.on('message', async (request: NodeRequest) => {
    const result =
      request.kind === 'broadcast'
        ? await control.broadcast(request.command)
        : await control.survey(...request.arguments);
    port.postMessage({ kind: 'done', id: request.id, result });
  });
  await control.start(nodeId, {
    version: '1.2.3',
    execute: command => void executed.push(command),
    survey: (operation, data) => answerSurvey(nodeId, operation, data),
  });
  setInterval(tell, 10).unref();
}

main.on('message', async (request: ContractRequest | 'advanced') => {
  if (request === 'advanced') {
    advanced();
    return;
  }
  const thread = threadBackends(request.link, { clock });
  if (request.kind === 'node') {
    await runNode(request.port, thread);
    return;
  }
  try {
    if (request.kind === 'broker') await brokerCase(request.name, thread);
    else await PRESENCE_CONTRACT.find(one => one.name === request.name)?.holds(thread.backends.presence);
    main.postMessage({ kind: 'held' });
  } catch (error) {
    main.postMessage({ kind: 'failed', text: error instanceof Error ? error.stack : String(error) });
  }
  thread.close();
});
