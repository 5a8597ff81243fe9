import type { RealtimeNode } from '@msg/engine';
import { applyDelta } from '@msg/protocol';
import type { ServerMessage } from '../model/link.ts';
import { MemoryLink } from '../model/memory-link.ts';

/** A connection that undoes patches and keeps what it was told. */
export class StateReader {
  /** The text of each publication. */
  readonly texts: string[] = [];
  readonly forms: ('patch' | 'full')[] = [];
  /** Code of the disconnect. */
  closed = 0;
  readonly link: MemoryLink;
  #base: Uint8Array = new Uint8Array(0);

  constructor(node: RealtimeNode, encoding: 'json' | 'protobuf', delta: boolean) {
    this.link = new MemoryLink(node, encoding, {
      received: message => this.#received(message),
      closed: code => {
        this.closed = code;
      },
    });
    const subscribe = {
      kind: 'subscribe',
      id: 2,
      channel: 'c',
      recover: false,
      epoch: '',
      offset: 0,
    } as const;
    this.link.send([
      { kind: 'connect', id: 1, token: '' },
      { ...subscribe, delta, flag: 0 },
    ]);
  }

  #received(message: ServerMessage): void {
    if (message.kind !== 'publication') return;
    const { bytes, delta } = message.publication;
    this.forms.push(delta ? 'patch' : 'full');
    this.#base = delta ? applyDelta(this.#base, bytes) : bytes;
    this.texts.push(JSON.parse(Buffer.from(this.#base).toString()).text);
  }
}
