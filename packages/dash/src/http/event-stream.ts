import type { Clock, TimerHandle } from '@msg/foundation/clock';

const HEARTBEAT_MS = 15_000;
/** How long a browser waits before it connects again. */
const RETRY_MS = 2_000;

/** One event of a stream: a name and data of one line. */
export interface StreamEvent {
  readonly type: string;
}

/**
 * Server-sent events as a body, with a comment every 15 seconds.
 * @param start gets the function that sends, and answers the one that ends.
 */
export function eventStream(
  clock: Clock,
  stopping: AbortSignal,
  start: (send: (event: StreamEvent) => void) => () => void,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let end = (): void => {};
  return new ReadableStream({
    start(controller) {
      let beat: TimerHandle;
      const write = (text: string): void => controller.enqueue(encoder.encode(text));
      const heartbeat = (): void => {
        write(': \n\n');
        beat = clock.setTimeout(heartbeat, HEARTBEAT_MS);
      };
      write(`retry: ${RETRY_MS}\n\n`);
      beat = clock.setTimeout(heartbeat, HEARTBEAT_MS);
      const stop = start(({ type, ...data }) => write(`event: ${type}\ndata: ${JSON.stringify(data)}\n\n`));
      const close = (): void => {
        end();
        controller.close();
      };
      end = () => {
        end = () => {};
        clock.clearTimeout(beat);
        stopping.removeEventListener('abort', close);
        stop();
      };
      stopping.addEventListener('abort', close, { once: true });
    },
    cancel: () => end(),
  });
}
