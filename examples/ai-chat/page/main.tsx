import { type ChatTransportOptions, createChatTransport } from '@msg/ai/browser';
import { type ClientCredentials, MsgClient } from '@msg/client';
import type { UIMessage } from 'ai';
import { StrictMode, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { Conversation } from './conversation.tsx';

/** The chat of the address, such as `#holidays`. */
const CHAT = location.hash.slice(1) || 'first';

interface Session {
  readonly endpoint: string;
  readonly credentials: ClientCredentials;
}

const ask = async <T,>(what: string): Promise<T> => (await fetch(`/api/${what}?chat=${CHAT}`)).json();

const { endpoint, credentials } = await ask<Session>('credentials');
const client = new MsgClient({
  endpoint,
  credentials,
  getCredentials: async () => (await ask<Session>('credentials')).credentials,
  centrifugeOptions: { minReconnectDelay: 100, maxReconnectDelay: 1000 },
});
client.connect().catch(console.error);

const options: ChatTransportOptions = {
  client,
  api: '/api/chat',
  channelOf: id => `private:app.chat.${id}.answer`,
};
const transport = createChatTransport(options);
const load = () => ask<UIMessage[]>('messages');
const stored = await load();

function Page({ first }: { readonly first: UIMessage[] }) {
  const [messages, setMessages] = useState<UIMessage[] | null>(first);
  const toggle = async () => setMessages(messages === null ? await load() : null);
  return (
    <>
      <header className="bar">
        <h1>A chat with a model</h1>
        <code>{CHAT}</code>
        <button id="toggle" className="btn" type="button" onClick={toggle}>
          {messages === null ? 'Show' : 'Hide'}
        </button>
      </header>
      <main>
        {messages === null ? (
          <p className="empty">Hidden. The answer goes on.</p>
        ) : (
          <Conversation id={CHAT} messages={messages} transport={transport} load={load} />
        )}
      </main>
    </>
  );
}

const root = document.querySelector('#root');
if (root !== null)
  createRoot(root).render(
    <StrictMode>
      <Page first={stored} />
    </StrictMode>,
  );
