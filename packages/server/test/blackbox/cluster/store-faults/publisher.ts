import type { RpcAnswer, rpcOf } from '../../../support/rpc.ts';

/** From the answer of one publish to the next publish. */
const PACE_MS = 5;

/** How one publish was answered. */
export interface Published {
  readonly n: number;
  readonly status: number;
  readonly code: string | undefined;
  readonly retryAfter: string | null;
  readonly text: string;
}

/** Publishes numbers through the RPC, one after the other, and remembers how each was answered. */
export class Publisher {
  readonly answers: Published[] = [];
  readonly #rpc: ReturnType<typeof rpcOf>;
  readonly #name: string;
  #stopped = false;
  readonly #running: Promise<void>;

  constructor(rpc: ReturnType<typeof rpcOf>, name: string) {
    this.#rpc = rpc;
    this.#name = name;
    this.#running = this.#run();
  }

  /** Numbers whose publish was answered with success. */
  get acknowledged(): readonly number[] {
    return this.answers.filter(({ status }) => status === 200).map(({ n }) => n);
  }

  /** Ends after the publish that is under way. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    for (let n = 0; !this.#stopped; n++) {
      const data = Buffer.from(JSON.stringify({ n })).toString('base64');
      this.answers.push(answered(n, await this.#rpc('Publish', { name: this.#name, data })));
      await new Promise(resolve => setTimeout(resolve, PACE_MS));
    }
  }
}

function answered(n: number, { status, code, headers, body }: RpcAnswer): Published {
  return { n, status, code, retryAfter: headers.get('retry-after'), text: String(body['msg'] ?? '') };
}
