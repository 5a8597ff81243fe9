import {
  type AppendOp,
  AppendRefused,
  type AppendResult,
  type AppendStatus,
  type RealtimeNode,
} from '@msg/engine';
import type { Prng } from '../prng.ts';
import type { Truth, WrittenMessage } from './truth.ts';

interface Request {
  readonly message: string;
  readonly producer: string;
  readonly seq: number;
  readonly ops: readonly AppendOp[];
  readonly takeOver: boolean;
}

/** What became of a request: the number of the last operation, or the refusal. */
type Answer = { readonly seq: number; readonly status: AppendStatus } | { readonly refusal: string };

/** Producers as they should be and as they should not: they retry, cut anew, come late, leave gaps, and take over. */
export class Producers {
  readonly #node: Pick<RealtimeNode, 'append'>;
  readonly #truth: Truth;
  readonly #prng: Prng;
  readonly #longTexts: boolean;
  readonly #violation: (text: string) => void;
  /** The newest of all messages; open or ended. */
  #current: WrittenMessage | null = null;
  /** Numbers of what was applied, by message: what the oracle expects. */
  readonly #applied = new Map<string, number>();
  #messages = 0;
  #tokens = 0;
  readonly answers = new Map<string, number>();

  constructor(
    node: Pick<RealtimeNode, 'append'>,
    truth: Truth,
    prng: Prng,
    longTexts: boolean,
    violation: (text: string) => void,
  ) {
    this.#node = node;
    this.#truth = truth;
    this.#prng = prng;
    this.#longTexts = longTexts;
    this.#violation = violation;
  }

  get open(): WrittenMessage | null {
    return this.#current?.status === 'streaming' ? this.#current : null;
  }

  /** The store lost the open message; it still knows those that ended. */
  messageLost(): void {
    const { open } = this;
    if (open === null) return;
    open.status = 'failed';
    this.#truth.messages.delete(open.id);
    this.#truth.gone.set(open.id, open);
    this.#applied.delete(open.id);
    this.#current = null;
  }

  /** The stream is gone, and its message with it. */
  lost(): void {
    if (this.open !== null) this.open.status = 'failed';
    for (const [id, message] of this.#truth.messages) this.#truth.gone.set(id, message);
    this.#truth.messages.clear();
    this.#applied.clear();
    this.#current = null;
  }

  async act(): Promise<void> {
    const { open } = this;
    const roll = this.#prng.below(100);
    if (open === null) return roll < 70 ? this.#openOne() : this.#disturb(roll);
    if (roll < 60) return this.#grow(open, this.#prng.between(1, 3));
    if (roll < 68) return this.#repeat(open);
    if (roll < 72) return this.#takeOver(open);
    if (roll < 78) return this.#end(open);
    return this.#disturb(roll);
  }

  async #openOne(): Promise<void> {
    const id = `m${++this.#messages}`;
    const message: WrittenMessage = {
      id,
      ops: [this.#token()],
      status: 'streaming',
      producer: 'p',
      shown: 0,
    };
    this.#truth.messages.set(id, message);
    this.#current = message;
    await this.#send(this.#request(message, 1, 1), { seq: 1, status: 'streaming' });
  }

  async #grow(message: WrittenMessage, count: number): Promise<void> {
    const seq = message.ops.length + 1;
    for (let n = 0; n < count; n++) message.ops.push(this.#token());
    const last = message.ops.length;
    await this.#send(this.#request(message, seq, last), { seq: last, status: 'streaming' });
  }

  /** Repeats operations, cut anew, perhaps with new ones. */
  async #repeat(message: WrittenMessage): Promise<void> {
    const seq = this.#prng.between(1, message.ops.length);
    const applied = this.#applied.get(message.id) ?? 0;
    if (this.#prng.chance(40)) message.ops.push(this.#token());
    const last = message.ops.length > applied ? message.ops.length : this.#prng.between(seq, applied);
    await this.#send(this.#request(message, seq, last), {
      seq: Math.max(applied, last),
      status: 'streaming',
    });
  }

  async #takeOver(message: WrittenMessage): Promise<void> {
    const fenced = { ...this.#request(message, message.ops.length + 1, 0), ops: [{ text: 'never' }] };
    const producer = `p${++this.#tokens}`;
    const seq = message.ops.length + 1;
    message.ops.push(this.#token());
    message.producer = producer;
    const request = { ...this.#request(message, seq, seq), takeOver: true };
    await this.#send(request, { seq, status: 'streaming' });
    await this.#send(fenced, { refusal: 'fenced' });
  }

  async #end(message: WrittenMessage): Promise<void> {
    const status = this.#prng.pick(['complete', 'cancelled', 'failed'] as const);
    const seq = message.ops.length + 1;
    const request = { ...this.#request(message, seq, 0), ops: [{ status }] };
    await this.#send(request, { seq, status });
    this.#applied.set(message.id, seq);
    await this.#send(request, { seq, status });
  }

  /** Requests that must be refused, and change nothing. */
  async #disturb(roll: number): Promise<void> {
    const message = this.#current;
    if (message === null) return;
    const next = (this.#applied.get(message.id) ?? 0) + 1;
    const never: AppendOp[] = [{ text: 'never' }];
    const request = {
      message: message.id,
      producer: message.producer,
      seq: next,
      ops: never,
      takeOver: false,
    };
    const isOpen = message.status === 'streaming';
    if (roll % 4 === 0)
      await this.#send({ ...request, seq: next + 1 }, { refusal: isOpen ? 'gap' : 'closed' });
    else if (roll % 4 === 1)
      await this.#send({ ...request, producer: 'stranger' }, { refusal: isOpen ? 'fenced' : 'closed' });
    else if (roll % 4 === 2 && isOpen)
      await this.#send({ ...request, message: 'other', seq: 1 }, { refusal: 'busy' });
    else if (roll % 4 === 3 && isOpen)
      await this.#send({ ...request, ops: [] }, { seq: next - 1, status: 'streaming' });
    else await this.#send({ ...request, message: 'other', seq: 2 }, { refusal: 'not_found' });
  }

  /** Operations `seq` to `last` of a message. */
  #request({ id, producer, ops }: WrittenMessage, seq: number, last: number): Request {
    const texts = ops.slice(seq - 1, last).map(text => ({ text }));
    return { message: id, producer, seq, ops: texts, takeOver: false };
  }

  async #send(request: Request, expected: Answer): Promise<void> {
    const answer = await this.#answer(request);
    const name = 'refusal' in answer ? answer.refusal : 'applied';
    this.answers.set(name, (this.answers.get(name) ?? 0) + 1);
    if (JSON.stringify(answer) !== JSON.stringify(expected)) {
      // A message may end by itself while the request waits for its window.
      const message = this.#truth.messages.get(request.message);
      if (name === 'closed' && message !== undefined && message.status !== 'streaming') return;
      this.#violation(
        `${JSON.stringify(request)}: ${JSON.stringify(answer)}, not ${JSON.stringify(expected)}`,
      );
    }
    if ('refusal' in answer) return;
    if (answer.status === 'streaming') this.#applied.set(request.message, answer.seq);
    const message = this.#truth.messages.get(request.message);
    if (message !== undefined) message.status = answer.status;
  }

  async #answer(request: Request): Promise<Answer> {
    let result: AppendResult;
    try {
      result = await this.#node.append('c', request);
    } catch (error) {
      if (error instanceof AppendRefused) return { refusal: error.kind };
      throw error;
    }
    return { seq: result.seq, status: result.status };
  }

  #token(): string {
    const token = `<${++this.#tokens}>`;
    return this.#prng.chance(this.#longTexts ? 50 : 5)
      ? token + 'é"\n👋 long '.repeat(this.#prng.between(10, this.#longTexts ? 600 : 60))
      : token;
  }
}
