import { type BrokerEvents, MemoryBroker } from '@msg/engine';
import type { Truth } from './truth.ts';

/** Notes everything that stands in the stream, in the order of its offsets, before any reader sees it. */
export class TruthBroker extends MemoryBroker {
  truth: Truth | null = null;
  violation: (text: string) => void = () => {};

  override start(events: BrokerEvents): Promise<void> {
    const add = (...entry: Parameters<Truth['add']>): void => {
      const wrong = this.truth?.add(...entry) ?? null;
      if (wrong !== null) this.violation(wrong);
    };
    return super.start({
      join: (...join) => events.join(...join),
      leave: (...leave) => events.leave(...leave),
      publication: (channel, publication, position, ...rest) => {
        const { text } = JSON.parse(Buffer.from(publication.data.bytes).toString());
        add(position.epoch, position.offset, { kind: 'ordinary', text });
        events.publication(channel, publication, position, ...rest);
      },
      appended: (channel, state) => {
        // Built apart from the payload: reading must not be what makes it right.
        const { id, text, status } = parsed(state.document.toBytes());
        const { epoch, offset } = state.position;
        const message = this.truth?.messages.get(id);
        if (message === undefined) {
          this.violation(`message ${id} was never opened`);
          return;
        }
        if (!message.ops.join('').startsWith(text))
          this.violation(`no prefix of ${id} at ${offset}: ${text}`);
        if (text.length < message.shown) this.violation(`${id} became shorter at ${offset}`);
        if (message.status !== 'streaming') this.violation(`${id} after its end at ${offset}`);
        message.shown = text.length;
        message.status = status;
        add(epoch, offset, { kind: 'state', message, text, final: state.ended });
        events.appended(channel, state);
      },
    });
  }
}

function parsed(document: Uint8Array): {
  readonly id: string;
  readonly text: string;
  readonly status: 'streaming';
} {
  try {
    return JSON.parse(Buffer.from(document).toString());
  } catch {
    return { id: 'ill-formed', text: '', status: 'streaming' };
  }
}
