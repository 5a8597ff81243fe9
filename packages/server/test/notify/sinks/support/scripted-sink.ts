import type { SendContext, Sink, SinkMessage } from '#src/notify/sinks/contract.ts';

/** What one send does: reject with the error, hang until it is told, or succeed. */
export type Step = Error | 'ok' | Promise<void>;

/** A sink that does as it is told, send by send; the last step repeats. */
export class ScriptedSink implements Sink {
  readonly name: string;
  readonly sends: { recipient: unknown; message: SinkMessage; channel: string | undefined }[] = [];
  readonly #steps: Step[];

  constructor(name: string, ...steps: Step[]) {
    this.name = name;
    this.#steps = steps;
  }

  async send(recipient: unknown, message: SinkMessage, context: SendContext = {}): Promise<void> {
    const step = this.#steps[Math.min(this.sends.length, this.#steps.length - 1)] ?? 'ok';
    this.sends.push({ recipient, message, channel: context.channel });
    if (step === 'ok') return;
    if (step instanceof Error) throw step;
    await step;
  }

  decodeRecipient(stored: unknown): unknown {
    return stored;
  }
}
