// The shop's HTTP: its page, its orders, and the state that the live page begins with.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { isMsgError, type RpcClient } from '@msg/core';
import type { Sql } from 'postgres';
import { CHANNEL, type State } from './model.ts';
import { advanceOrder, placeOrder, readRows } from './shop.ts';

/** SQLSTATE of the shelf's check, and of an item that does not exist. */
const SOLD_OUT = '23514';
const NO_SUCH_ITEM = '23503';

interface Answer {
  readonly status: number;
  readonly body: object;
}

export class Backend {
  readonly #sql: Sql;
  readonly #msg: RpcClient;
  readonly #endpoint: string;

  /** @param endpoint WebSocket address of the service, for the page */
  constructor(sql: Sql, msg: RpcClient, endpoint: string) {
    this.#sql = sql;
    this.#msg = msg;
    this.#endpoint = endpoint;
  }

  /** Answers what is below /api/. */
  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { status, body } = await this.#route(request).catch(failure);
    response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
    response.end(JSON.stringify(body));
  }

  async #route(request: IncomingMessage): Promise<Answer> {
    const { method, url: path = '' } = request;
    if (path === '/api/endpoint') return { status: 200, body: { endpoint: this.#endpoint } };
    if (path === '/api/state') return { status: 200, body: await this.#state() };
    const [, id] = /^\/api\/orders(?:\/(\d{1,9})\/next)?$/.exec(path) ?? [path, 'none'];
    if (method !== 'POST' || id === 'none') return { status: 404, body: { error: 'There is nothing here.' } };
    const { item, revision } = JSON.parse(await text(request)) as { item?: unknown; revision?: unknown };
    if (id === undefined) return { status: 201, body: await placeOrder(this.#sql, String(item)) };
    const order = await advanceOrder(this.#sql, Number(id), Number(revision));
    if (order === undefined) return { status: 409, body: { error: 'Somebody was faster.' } };
    return { status: 200, body: order };
  }

  /** The position first: what the rows do not show yet stands after it, and comes to the page. */
  async #state(): Promise<State> {
    const position = await this.#msg.call('Position', { name: CHANNEL });
    return { position, rows: await readRows(this.#sql) };
  }
}

/** What a page is told; everything else is the backend's own matter, and stands in its log. */
function failure(error: unknown): Answer {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === SOLD_OUT) {
    return {
      status: 409,
      body: { error: 'It is sold out. The order was rolled back, and nothing was published.' },
    };
  }
  if (code === NO_SUCH_ITEM || error instanceof SyntaxError) {
    return { status: 400, body: { error: 'The shop has no such item.' } };
  }
  console.error(`request failed: ${code || error}`);
  const where = isMsgError(error) ? 'msg' : 'the database';
  return { status: 503, body: { error: `The shop cannot reach ${where}. Try again in a moment.` } };
}
