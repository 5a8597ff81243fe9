import { once } from 'node:events';
import { connect } from 'node:net';
import { pipelined } from '@msg/testkit/hostile';
import { expect, test } from 'vitest';
import { loadCatalog } from '#src/catalog/index.ts';
import { HttpServer } from '#src/http/server.ts';
import { documentEngine } from '#src/reads/document-engine.ts';
import { FileStore } from '#src/store/file-store.ts';
import { temporaryRoots } from '../store/stores.ts';

const root = temporaryRoots();

/** A store that says what is in it when it is let. */
class HeldStore extends FileStore {
  readonly asked: (() => void)[] = [];
  onAsked = (): void => undefined;

  override async list(): Promise<string[]> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.asked.push(resolve);
    this.onAsked();
    await promise;
    return super.list();
  }

  /** Waits for the next question. */
  next(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.onAsked = resolve;
    return promise;
  }
}

async function serving() {
  const store = new HeldStore({ root: await root() });
  const server = await HttpServer.listen({
    served: { store },
    engine: documentEngine(loadCatalog()),
    host: 'localhost',
    port: 0,
  });
  return { store, server };
}

const THREE = pipelined(Array.from({ length: 3 }, () => ({ target: '/api/dashboards' })));

test('requests at once are answered one after the other', async () => {
  const { store, server } = await serving();
  const socket = connect(server.port, server.address);
  let text = '';
  socket.on('data', bytes => {
    text += String(bytes);
  });
  for (let asked = 1; asked <= 3; asked++) {
    const next = store.next();
    if (asked === 1) socket.write(THREE);
    else store.asked.at(-1)?.();
    await next;
    expect(store.asked).toHaveLength(asked);
  }
  const stopped = server.stop();
  store.asked.at(-1)?.();
  await stopped;
  expect(text.match(/HTTP\/1\.1 200/g)).toHaveLength(3);
});

test('nothing more is made for a client that has left', async () => {
  const { store, server } = await serving();
  const socket = connect(server.port, server.address);
  const first = store.next();
  socket.write(THREE);
  await first;
  socket.resetAndDestroy();
  await once(socket, 'close');

  const second = store.next();
  const answer = fetch(`${server.url}/api/dashboards`);
  await second;
  for (const answered of store.asked) answered();
  expect((await answer).status).toBe(200);
  expect(store.asked).toHaveLength(2);
  await server.stop();
});
