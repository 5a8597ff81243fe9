import { ManualClock } from '@msg/foundation/clock/testing';
import { describe, expect, it } from 'vitest';
import { type DocumentEvent, DocumentWatch } from '#src/web/document-watch.ts';

/** A watch over one document and one folder, both moved by hand. */
function watched() {
  const clock = new ManualClock();
  const files = { watchers: 0, change: (): void => undefined };
  const watch = new DocumentWatch(clock, onChange => {
    files.watchers++;
    files.change = onChange;
    return () => {
      files.watchers--;
    };
  });
  const document = { revision: 'r1' as string | undefined, looks: 0 };
  const fingerprint = async (): Promise<string | undefined> => {
    document.looks++;
    return document.revision;
  };
  const heard: DocumentEvent[] = [];
  const listen = () => watch.listen('d', fingerprint, event => heard.push(event));
  const settled = async (): Promise<void> => {
    for (let turn = 0; turn < 5; turn++) await Promise.resolve();
  };
  return { clock, watch, files, document, heard, listen, settled };
}

describe('a document that is listened to', () => {
  it('is looked at when a file changes, once for all changes of a moment, and every two seconds', async () => {
    const { clock, files, document, heard, listen, settled } = watched();
    const stop = listen();
    await settled();
    expect(heard).toEqual([{ type: 'document', revision: 'r1' }]);
    document.revision = 'r2';
    files.change();
    files.change();
    await clock.advance(100);
    await settled();
    expect(document.looks).toBe(2);
    expect(heard.at(-1)).toEqual({ type: 'document', revision: 'r2' });
    document.revision = undefined;
    await clock.advance(2_000);
    await settled();
    expect(heard.at(-1)).toEqual({ type: 'gone' });
    stop();
  });

  it('is watched once for all listeners, until the last one leaves', async () => {
    const { clock, files, document, listen, settled } = watched();
    expect(files.watchers).toBe(0);
    const stops = [listen(), listen()];
    await settled();
    expect(files.watchers).toBe(1);
    files.change();
    for (const stop of stops) stop();
    expect(files.watchers).toBe(0);
    const { looks } = document;
    await clock.advance(10_000);
    await settled();
    expect(document.looks).toBe(looks);
    listen()();
    expect(files.watchers).toBe(0);
  });

  it('tells that the rows of items have changed', async () => {
    const { watch, heard, listen, settled } = watched();
    watch.itemsChanged('d', ['a']);
    const stop = listen();
    await settled();
    watch.itemsChanged('d', ['a', 'b']);
    watch.itemsChanged('other', ['c']);
    expect(heard.slice(1)).toEqual([{ type: 'items', ids: ['a', 'b'] }]);
    stop();
  });
});
