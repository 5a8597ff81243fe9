import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { closeServer } from '@msg/testkit';
import type { Prng } from '../../packages/engine/test/model/prng.ts';

/** What the body of a letter says: its number, and by how many edits it is older than the one that was parked. */
export interface LetterBody {
  readonly n: number;
  readonly version: number;
}

/** What a destination does with a request: it takes the letter, refuses it, or cuts the connection. */
export type Treatment = 'takes' | 'refuses' | 'cuts';

const SLOWEST_MS = 60;

/** A real HTTP server that webhooks are sent to. It answers after a drawn time. */
export class Destination {
  /** Asked at each arrival. */
  treat: (sink: string, letter: LetterBody) => Treatment = () => 'refuses';
  /** Told when the letter was taken, before the answer is written. */
  onTaken: (sink: string, letter: LetterBody) => void = () => {};
  /** Where it listens. */
  url = '';
  readonly #refused = new Map<string, number>();
  readonly #server: Server;

  /** @param random draws how long an answer takes */
  constructor(random: Prng) {
    this.#server = createServer((request, response) => {
      const sink = request.url?.split('/')[1] ?? '';
      void json(request).then(
        async message => {
          const letter = JSON.parse((message as { readonly body: string }).body) as LetterBody; // of the siege
          const treatment = this.treat(sink, letter);
          if (treatment === 'refuses') this.#refused.set(sink, this.refusedAt(sink) + 1);
          await pause(random.below(SLOWEST_MS));
          if (treatment === 'takes') this.onTaken(sink, letter);
          if (treatment === 'cuts') response.destroy();
          else response.writeHead(treatment === 'takes' ? 200 : 503).end();
        },
        () => {},
      ); // its node was killed
    });
  }

  /** How many requests for a sink were refused. */
  refusedAt(sink: string): number {
    return this.#refused.get(sink) ?? 0;
  }

  async listen(): Promise<string> {
    await new Promise<void>(resolve => this.#server.listen(0, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`; // a TCP server's address
    return this.url;
  }

  close(): Promise<void> {
    return closeServer(this.#server);
  }
}
