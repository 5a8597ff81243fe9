import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { createParser, type EventSourceMessage } from 'eventsource-parser';

/** One server-sent-events stream as it comes over the socket. */
export class EventReader {
  readonly events: EventSourceMessage[] = [];
  readonly comments: string[] = [];
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  ended = false;
  readonly #response: IncomingMessage;

  private constructor(response: IncomingMessage) {
    this.#response = response;
    this.status = response.statusCode ?? 0;
    this.headers = response.headers;
    const parser = createParser({
      onEvent: event => this.events.push(event),
      onComment: comment => this.comments.push(comment),
    });
    response.setEncoding('utf8');
    response.on('data', (text: string) => parser.feed(text));
    response.on('close', () => {
      this.ended = true;
    });
    response.on('error', () => {});
  }

  /** Opens a stream; resolves with the response's headers. */
  static open(url: string, headers: Record<string, string> = {}): Promise<EventReader> {
    return new Promise((resolve, reject) => {
      const call = request(url, { headers, agent: false }, response => resolve(new EventReader(response)));
      call.on('error', reject);
      call.end();
    });
  }

  /** The data of the publications so far. */
  get data(): unknown[] {
    return this.events
      .filter(({ event }) => event === undefined)
      .map(({ data }) => (JSON.parse(data) as { data: unknown }).data); // as documented
  }

  pause(): void {
    this.#response.pause();
  }

  close(): void {
    this.#response.destroy();
  }
}
