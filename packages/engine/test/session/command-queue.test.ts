import { type Command, jsonCodec } from '@msg/protocol';
import { describe, expect, it } from 'vitest';
import { COMMANDS_PER_TURN, type CommandHandler, CommandQueue } from '#src/session/command-queue.ts';
import { contextOf, settled } from './parts.ts';

const encode = (text: string) => new TextEncoder().encode(text);
const rpc = (id: number) => `{"id":${id},"rpc":{"method":"m"}}`;
const frameOf = (...ids: number[]) => encode(ids.map(rpc).join('\n'));
const PONG = encode('{}');

/** Notes what is executed; a command waits until it is finished when its id is in `waiting`. */
class Handler implements CommandHandler {
  readonly events: string[] = [];
  readonly waiting = new Map<number, PromiseWithResolvers<void>>();
  allowed = true;

  hold(id: number): void {
    this.waiting.set(id, Promise.withResolvers());
  }

  async finish(id: number): Promise<void> {
    this.waiting.get(id)?.resolve();
    await settled();
  }

  execute({ id }: Command): Promise<void> | undefined {
    this.events.push(String(id));
    return this.waiting.get(id)?.promise;
  }

  pongArrived(): void {
    this.events.push('pong');
  }

  undecodable(): void {
    this.events.push('undecodable');
    this.allowed = false;
  }

  canExecute(): boolean {
    return this.allowed;
  }

  pauseReading(): void {
    this.events.push('pause');
  }

  resumeReading(): void {
    this.events.push('resume');
  }
}

function queueOf(backlogBytes = 1000) {
  const handler = new Handler();
  const { context } = contextOf({}, { limits: { backlogBytes } });
  return { handler, queue: new CommandQueue(jsonCodec, handler, context) };
}

describe('the commands of a connection', () => {
  it('are executed in order, each after what the one before waits for', async () => {
    const { handler, queue } = queueOf();
    handler.hold(1);
    handler.hold(3);
    queue.receive(frameOf(1, 2));
    queue.receive(frameOf(3, 4));
    expect(handler.events).toEqual(['1']);
    await handler.finish(1);
    expect(handler.events).toEqual(['1', '2', '3']);
    await handler.finish(3);
    expect(handler.events).toEqual(['1', '2', '3', '4']);
  });

  it('that wait are copied: the bytes of a frame belong to the transport', async () => {
    const { handler, queue } = queueOf();
    handler.hold(1);
    queue.receive(frameOf(1));
    const frame = frameOf(2);
    queue.receive(frame);
    frame.fill(0);
    await handler.finish(1);
    expect(handler.events).toEqual(['1', '2']);
  });

  it('leave everything else its turn after so many', async () => {
    const { handler, queue } = queueOf();
    const ids = Array.from({ length: COMMANDS_PER_TURN + 1 }, (_, i) => i + 1);
    queue.receive(frameOf(...ids));
    expect(handler.events).toHaveLength(COMMANDS_PER_TURN);
    queue.receive(frameOf(1000));
    await settled();
    expect(handler.events.slice(COMMANDS_PER_TURN)).toEqual([String(COMMANDS_PER_TURN + 1), '1000']);
  });

  it('above the limit of bytes stop the reading until fewer wait', async () => {
    const { handler, queue } = queueOf(rpc(2).length * 2);
    handler.hold(1);
    handler.hold(2);
    queue.receive(frameOf(1));
    queue.receive(frameOf(2));
    expect(queue.paused).toBe(false);
    queue.receive(frameOf(3));
    expect(queue.paused).toBe(true);
    await handler.finish(1);
    await handler.finish(2);
    expect(handler.events).toEqual(['1', 'pause', '2', 'resume', '3']);
    expect(queue.paused).toBe(false);
  });

  it('do not hold up a pong', () => {
    const { handler, queue } = queueOf();
    handler.hold(1);
    queue.receive(frameOf(1));
    queue.receive(PONG);
    expect(handler.events).toEqual(['1', 'pong']);
  });

  it('before malformed bytes are executed, those behind them are not', () => {
    const { handler, queue } = queueOf();
    queue.receive(encode(`${rpc(1)}\nnoise\n${rpc(2)}`));
    queue.receive(frameOf(3));
    expect(handler.events).toEqual(['1', 'undecodable']);
  });

  it('wait while the queue is paused', () => {
    const { handler, queue } = queueOf();
    handler.allowed = false;
    queue.receive(frameOf(1));
    expect(handler.events).toEqual([]);
    handler.allowed = true;
    queue.proceed();
    expect(handler.events).toEqual(['1']);
  });

  it('are forgotten at the end of the connection', async () => {
    const { handler, queue } = queueOf();
    handler.hold(1);
    queue.receive(frameOf(1, 2));
    queue.receive(frameOf(3));
    queue.clear();
    await handler.finish(1);
    expect(handler.events).toEqual(['1']);
  });
});
