import { serveQuestions } from './pinned.ts';
import type { RepeatingQuestion, RepeatingRun } from './repeating.ts';

/** A connection that sends its next request when the answer to the last one is complete, or when it is due. */
export abstract class Repeater {
  answered = 0;
  last = '';
  #isRunning = false;
  #idle: (() => void) | null = null;
  /** Milliseconds between two requests; 0: none. */
  #everyMs = 0;
  #due = 0;

  abstract open(): Promise<void>;
  abstract close(): void;
  protected abstract send(): void;

  start(everyMs: number): void {
    this.answered = 0;
    this.#isRunning = true;
    this.#everyMs = everyMs;
    this.#due = performance.now();
    this.send();
  }

  /** Sends nothing more; resolves when the last answer is there. */
  async finish(): Promise<void> {
    const idle = new Promise<void>(resolve => {
      this.#idle = resolve;
    });
    this.#isRunning = false;
    await idle;
  }

  /** The answer is complete. */
  protected took(answer: string): void {
    this.last = answer;
    this.answered++;
    this.#due += this.#everyMs;
    const wait = this.#due - performance.now();
    // What is late is sent at once, so that the rate holds.
    if (this.#everyMs > 0 && wait > 0) setTimeout(() => this.#sendNext(), wait);
    else this.#sendNext();
  }

  #sendNext(): void {
    if (this.#isRunning) this.send();
    else this.#idle?.();
  }
}

/** Answers the questions of the orchestrating process. `connect` makes one connection of a target, not yet open. */
export function serveRepeaters<Target>(
  connect: (target: Target & { readonly port: number }) => Repeater,
): void {
  let repeaters: Repeater[] = [];
  const run = async (ms: number, perSecond = 0): Promise<RepeatingRun> => {
    const start = performance.now();
    const everyMs = perSecond > 0 ? (repeaters.length * 1000) / perSecond : 0;
    for (const repeater of repeaters) repeater.start(everyMs);
    await new Promise(resolve => setTimeout(resolve, ms));
    await Promise.all(repeaters.map(repeater => repeater.finish()));
    return {
      answered: repeaters.reduce((sum, { answered }) => sum + answered, 0),
      wallMs: performance.now() - start,
      last: repeaters[0]?.last ?? '',
    };
  };
  serveQuestions<RepeatingQuestion<Target>>(async question => {
    switch (question.kind) {
      case 'connect':
        repeaters = Array.from({ length: question.connections }, () => connect(question));
        await Promise.all(repeaters.map(repeater => repeater.open()));
        return {};
      case 'run':
        return run(question.ms, question.perSecond);
      case 'disconnect':
        for (const repeater of repeaters) repeater.close();
        repeaters = [];
        return {};
    }
  });
}
