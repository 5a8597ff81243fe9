import type { AppendDocument } from '@msg/client/appends';
import type { Growth } from '@msg/client/internal';
import { defined } from '@msg/foundation/json';
import type { UIMessageChunk } from 'ai';
import { chunkOf, isTransient } from './chunk-items.ts';

/** The part that a text is to the framework. */
const TEXT_ID = 'text';

/** The answer that a reader wants: by its request, or by its message. */
export type Wanted = { readonly input: string } | { readonly message: string };

/** One answer as the stream of chunks that the framework reads. */
export class AnswerReader {
  readonly stream: ReadableStream<UIMessageChunk>;
  readonly #wanted: Wanted;
  readonly #onClose: () => void;
  /** Resolves with the first chunk, and with an end. */
  readonly began: Promise<void>;
  #begin: () => void = () => {};
  #controller: ReadableStreamDefaultController<UIMessageChunk> | null = null;
  /** Its message; empty: not seen yet. */
  #message = '';
  #newest: UIMessageChunk['type'] | '' = '';

  constructor(wanted: Wanted, onClose: () => void) {
    this.#wanted = wanted;
    this.#onClose = onClose;
    this.began = new Promise(resolve => {
      this.#begin = resolve;
    });
    this.stream = new ReadableStream({
      start: controller => {
        this.#controller = controller;
      },
      cancel: () => this.#release(),
    });
  }

  /** The answer was asked for, so that it may end unseen. */
  isExpected = false;

  /** It has seen its message, or needs none any more. */
  get hasBegun(): boolean {
    return this.#message !== '' || this.#controller === null;
  }

  wants({ id, input }: AppendDocument): boolean {
    if (this.#message !== '') return id === this.#message;
    return 'input' in this.#wanted ? input === this.#wanted.input : id === this.#wanted.message;
  }

  /** Takes what is new of its message. `isReplay`: it was said before, to others. */
  take(document: AppendDocument, growth: Growth, isReplay = false): void {
    const isFirst = this.#message === '';
    this.#message = document.id;
    if (typeof growth.added === 'string') this.#takeText(document, growth.added, isFirst);
    else this.#takeItems(growth.added, isReplay);
    if (document.status !== 'streaming') this.#end(document);
  }

  /** Ends the stream with an error that the framework shows. */
  refuse(errorText: string): void {
    this.#add({ type: 'error', errorText });
    this.close();
  }

  /** The reader leaves, or cannot go on. */
  fail(error: unknown): void {
    const controller = this.#controller;
    this.#release();
    controller?.error(error);
  }

  close(): void {
    const controller = this.#controller;
    this.#release();
    controller?.close();
  }

  #takeItems(items: readonly unknown[], isReplay: boolean): void {
    for (const item of items) {
      const chunk = chunkOf(item);
      if (chunk !== null && !(isReplay && isTransient(chunk))) this.#add(chunk);
    }
  }

  #takeText(document: AppendDocument, delta: string, isFirst: boolean): void {
    if (isFirst) {
      this.#add({ type: 'start', messageId: document.id });
      this.#add({ type: 'text-start', id: TEXT_ID });
    }
    if (delta !== '') this.#add({ type: 'text-delta', id: TEXT_ID, delta });
    if (document.status === 'streaming') return;
    this.#add({ type: 'text-end', id: TEXT_ID });
    if (document.status === 'complete') this.#add({ type: 'finish' });
  }

  #end({ status, reason = '' }: AppendDocument): void {
    if (status === 'failed' && this.#newest !== 'error')
      this.#add({ type: 'error', errorText: reason || 'failed' });
    if (status === 'cancelled' && this.#newest !== 'abort')
      this.#add({ type: 'abort', ...defined({ reason: reason === '' ? undefined : reason }) });
    this.close();
  }

  #add(chunk: UIMessageChunk): void {
    this.#newest = chunk.type;
    this.#controller?.enqueue(chunk);
    this.#begin();
  }

  #release(): void {
    if (this.#controller === null) return;
    this.#controller = null;
    this.#begin();
    this.#onClose();
  }
}
