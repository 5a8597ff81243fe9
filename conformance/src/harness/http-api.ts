import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RealtimeNode } from '@msg/engine';
import { type Profile, publishOptions, rulesOf } from './profiles.ts';

/** Members that the suites send. */
interface Body {
  readonly channel?: string;
  readonly data?: unknown;
  readonly limit?: number;
  readonly since?: { readonly offset: number; readonly epoch: string };
  readonly reverse?: boolean;
  readonly user?: string;
  readonly client?: string;
  readonly disconnect?: { readonly code: number; readonly reason: string };
}

const FORCED = { code: 3012, reason: 'force reconnect' };
const UNSUBSCRIBED = { code: 2000, reason: 'server unsubscribe' };

/** The calls of the reference server's HTTP API that the suites make: JSON in, `{"result": …}` out. */
export class HttpApi {
  readonly #node: RealtimeNode;
  readonly #profile: Profile;

  constructor(node: RealtimeNode, profile: Profile) {
    this.#node = node;
    this.#profile = profile;
  }

  /** Answers a request below `/api/`. */
  async handle(method: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer); // no encoding is set
    const result = await this.#call(method, JSON.parse(Buffer.concat(chunks).toString()) as Body);
    response.writeHead(result === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ result }));
  }

  async #call(method: string, body: Body): Promise<object | undefined> {
    const { channel = '', user = '', client } = body;
    const target = { user, ...(client === undefined ? {} : { client }) };
    switch (method) {
      case 'publish':
        return await this.#publish(channel, body.data);
      case 'history':
        return await this.#history(channel, body);
      case 'disconnect':
        await this.#node.disconnect(target, body.disconnect ?? FORCED);
        return {};
      case 'unsubscribe':
        await this.#node.unsubscribe(target, channel, UNSUBSCRIBED);
        return {};
      default:
        return undefined;
    }
  }

  async #publish(channel: string, data: unknown): Promise<object> {
    const rules = rulesOf(this.#profile, channel);
    const bytes = Buffer.from(JSON.stringify(data));
    const { offset, epoch } = await this.#node.publish(channel, bytes, rules ? publishOptions(rules) : {});
    return { offset, epoch };
  }

  async #history(channel: string, { limit = 0, since, reverse = false }: Body): Promise<object> {
    const filter = { limit, reverse, ...(since === undefined ? {} : { since }) };
    const { offset, epoch, publications } = await this.#node.history(channel, filter);
    const shown = publications.map(each => ({
      data: JSON.parse(Buffer.from(each.data.bytes).toString()),
      offset: each.offset,
    }));
    return { publications: shown, offset, epoch };
  }
}
