import type { Broker, BrokerEvents } from '@msg/engine';
import type { Truth } from './truth.ts';

/** Notes what a node gets before its readers do; the events of several nodes make one truth. */
export function recording(broker: Broker, truth: Truth, violation: (text: string) => void): Broker {
  const note = (...entry: Parameters<Truth['note']>): void => {
    const wrong = truth.note(...entry);
    if (wrong !== null) violation(wrong);
  };
  const recorded = (events: BrokerEvents): BrokerEvents => ({
    ...events,
    publication: (channel, publication, position, ...rest) => {
      const { text } = JSON.parse(Buffer.from(publication.data.bytes).toString());
      note(position.epoch, position.offset, { kind: 'ordinary', text });
      events.publication(channel, publication, position, ...rest);
    },
    appended: (channel, state) => {
      const { id, text } = JSON.parse(Buffer.from(state.document.toBytes()).toString());
      const { epoch, offset } = state.position;
      const message = truth.messages.get(id) ?? truth.gone.get(id);
      if (message === undefined) violation(`message ${id} was never opened`);
      else {
        if (!message.ops.join('').startsWith(text)) violation(`no prefix of ${id} at ${offset}: ${text}`);
        message.shown = Math.max(message.shown, text.length);
        note(epoch, offset, { kind: 'state', message, text, final: state.ended });
      }
      events.appended(channel, state);
    },
  });
  return new Proxy(broker, {
    get(target, name) {
      if (name === 'start') return (events: BrokerEvents) => target.start(recorded(events));
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
