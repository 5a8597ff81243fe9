import type { RpcMethodName } from '@msg/core';
import { isRecord } from '@msg/foundation/json';
import type { RemoteAnswer } from './remote.ts';

/** What goes on at the server without the page: the member of its answer that names it, and the call that ends it. */
const ENDED_BY: Readonly<
  Partial<Record<RpcMethodName, { readonly member: string; readonly method: RpcMethodName }>>
> = {
  OpenFeed: { member: 'feed', method: 'CloseFeed' },
  StartRecording: { member: 'recording', method: 'StopRecording' },
};

type Call = (name: RpcMethodName, body: Buffer) => Promise<RemoteAnswer>;

/** The feeds and recordings that the sessions of a local console opened at the server: they end with their session. */
export class RemoteWork {
  readonly #call: Call;
  /** By session: the calls that end what it opened. */
  readonly #ends = new Map<string, [name: RpcMethodName, body: string][]>();

  constructor(call: Call) {
    this.#call = call;
  }

  /** Sends a call of a session on. @throws MsgError MSG_BROKER_NOT_READY */
  async call(session: string, name: RpcMethodName, body: Buffer): Promise<RemoteAnswer> {
    const answer = await this.#call(name, body);
    const opened = ENDED_BY[name];
    if (opened === undefined || answer.status !== 200) return answer;
    const value: unknown = JSON.parse(Buffer.from(answer.body).toString());
    if (!isRecord(value)) return answer;
    const end = JSON.stringify({ [opened.member]: value[opened.member] });
    this.#ends.set(session, [...(this.#ends.get(session) ?? []), [opened.method, end]]);
    return answer;
  }

  /** Ends what a session opened, without waiting longer than a call does. What has ended already does not count as a failure. */
  async endOf(session: string): Promise<void> {
    const ends = this.#ends.get(session) ?? [];
    this.#ends.delete(session);
    await Promise.allSettled(ends.map(([name, body]) => this.#call(name, Buffer.from(body))));
  }
}
