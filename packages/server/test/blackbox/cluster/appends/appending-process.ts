import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cleanEnv, eventually, MSG_BIN } from '@msg/testkit';
import type { ClusterNode } from '../../../support/cluster.ts';

/** A producer in a process of its own: `msg append`, which sends what it is given. */
export class AppendingProcess {
  readonly channel: string;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #node: ClusterNode;
  readonly #ended: Promise<unknown>;
  #written = '';

  constructor(node: ClusterNode, channel: string, flags: readonly string[]) {
    this.channel = channel;
    this.#node = node;
    this.#child = spawn(process.execPath, [MSG_BIN, 'append', channel, ...flags], {
      env: cleanEnv({ MSG_SERVER: node.url, MSG_TOKEN: node.token }),
      stdio: 'pipe',
    });
    this.#ended = once(this.#child, 'close');
  }

  /** Everything that it was given. */
  get written(): string {
    return this.#written;
  }

  /** Gives it text, and waits until that is stored. */
  async write(text: string): Promise<void> {
    this.#written += text;
    this.#child.stdin.write(text);
    await eventually(`${this.channel} has ${this.#written}`, async () => {
      const request = { name: this.channel, with_document: true };
      const { body } = await this.#node.rpc('AppendState', request);
      const document = Buffer.from(String(body['document'] ?? ''), 'base64').toString();
      return document.includes(JSON.stringify(this.#written).slice(1, -1));
    });
  }

  /** The producer dies without a word. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#ended;
  }

  /** Its input ends, and with it the message. */
  async end(): Promise<void> {
    this.#child.stdin.end();
    await this.#ended;
  }
}
