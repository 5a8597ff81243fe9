// What the tests show in Chromium: a root whose components and options the test changes from outside.
import { MsgClient } from '@msg/client';
import { MsgProvider, useChannel, useConnection, useLatest, usePresence } from '@msg/react';
import * as React from 'react';
import { createRoot, hydrateRoot, type Root } from 'react-dom/client';
import { performReactRefresh, register } from 'react-refresh/runtime';
import type { PageModule, Seen, Shown, StartOptions } from './shown.ts';

const { createElement: h } = React;

interface Received {
  readonly n: number;
}

const seen: Seen = { calls: [], asked: 0, terminal: [], credentials: undefined };

let client: MsgClient;
let root: Root;
let release: () => void = () => {};
let ready = false;
const released = new Promise<void>(resolve => {
  release = () => {
    ready = true;
    resolve();
  };
});

function Row({ channel, keep = 0, enabled = true, label = '' }: Shown) {
  const { state, last, items, error, recovered } = useChannel<Received>(channel, {
    keep,
    enabled,
    onPublication: ({ data }) => seen.calls.push(`${label}${data.n}`),
  });
  return h(
    'li',
    { 'data-state': state, 'data-error': error?.code, 'data-recovered': String(recovered) },
    `${last?.data.n ?? '-'} [${items.map(({ data }) => data.n).join()}]`,
  );
}

function Latest({ channel }: Shown) {
  return h('output', { id: 'latest' }, useLatest<Received>(channel)?.n ?? '-');
}

function Suspending({ channel }: Shown) {
  const latest = useLatest<Received>(channel);
  if (!ready) throw released;
  return h('output', { id: 'suspended' }, latest?.n ?? '-');
}

/** A publication arrives after the first render and before React subscribes. */
function Late({ channel }: Shown) {
  const { items } = useChannel<Received>(channel, {
    keep: 5,
    onPublication: ({ data }) => seen.calls.push(`late ${data.n}`),
  });
  React.useLayoutEffect(() => {
    client
      .raw()
      .getSubscription(channel)
      ?.emit('publication', { channel, data: { n: 99 } } as never);
  }, [channel]);
  return h('output', { id: 'late' }, items.map(({ data }) => data.n).join());
}

function Presence({ channel }: Shown) {
  const { clients, error } = usePresence(channel);
  return h('output', { id: 'presence' }, error?.code ?? clients.length);
}

function ConnectionLine() {
  const { state, attempt } = useConnection();
  return h('p', { id: 'connection' }, attempt > 0 ? `${state} after ${attempt}` : state);
}

function tree(shown: Shown) {
  const rows = Array.from({ length: shown.rows ?? 0 }, (_, key) => h(Row, { key, ...shown }));
  return h(
    React.StrictMode,
    null,
    h(
      MsgProvider,
      { client },
      h(ConnectionLine),
      h('ul', null, rows),
      shown.rows ? h(Latest, shown) : null,
      h(React.Suspense, { fallback: h('i', null, 'wait') }, shown.suspended ? h(Suspending, shown) : null),
      shown.late ? h(Late, shown) : null,
      shown.presence ? h(Presence, shown) : null,
    ),
  );
}

function start({ client: options, asks = false, hydrate = false }: StartOptions, shown: Shown): void {
  const getCredentials = async () => {
    seen.asked++;
    return seen.credentials as never;
  };
  client = new MsgClient({
    ...options,
    ...(asks ? { getCredentials } : {}),
    centrifugeOptions: { minReconnectDelay: 50, maxReconnectDelay: 200 },
  });
  client.on('terminal', ({ code }) => seen.terminal.push(code));
  const element = document.querySelector('#root') as Element; // the page has it
  if (hydrate) root = hydrateRoot(element, tree(shown));
  else {
    root = createRoot(element);
    root.render(tree(shown));
  }
}

function show(shown: Shown): void {
  root.render(tree(shown));
}

const unmount = (): void => root.unmount();

/** What a bundler does when the file of a component was saved. */
function refresh(): void {
  function NewRow(shown: Shown) {
    const view = useChannel<Received>(shown.channel, {
      keep: shown.keep,
      enabled: shown.enabled ?? true,
      onPublication: ({ data }) => seen.calls.push(`new ${data.n}`),
    });
    return h('li', { 'data-state': view.state }, `new [${view.items.map(({ data }) => data.n).join()}]`);
  }
  register(NewRow, 'Row');
  performReactRefresh();
}

register(Row, 'Row');

const refreshToken = async (): Promise<string> => (await client.tokens())?.refreshToken ?? '';

/** What the test calls. */
export const page: PageModule = {
  seen,
  start,
  show,
  unmount,
  releaseSuspended: () => release(),
  refresh,
  refreshToken,
};

/** Renders as a server does; answers the HTML and the states of both clients. */
export function render(shown: Shown, renderToString: (tree: React.ReactElement) => string): string[] {
  client = new MsgClient({ endpoint: 'http://localhost' });
  return [renderToString(tree(shown)), client.state, client.raw().state];
}
