import type { MsgClient } from '@msg/client';
import { MsgProvider } from '@msg/react';
import { useState } from 'react';
import { ROOM } from '../shared/room.ts';
import { Room } from './room.tsx';
import { createClient } from './session.ts';

interface Guest {
  readonly name: string;
  readonly client: MsgClient;
}

function enter(name: string): Guest {
  const client = createClient(`?name=${encodeURIComponent(name)}`);
  // From the beginning of the stream: who comes late reads what was said before.
  client.newSubscription(ROOM, { since: { offset: 0, epoch: '' }, joinLeave: true }).subscribe();
  return { name, client };
}

export function App() {
  const [guest, setGuest] = useState<Guest>();
  if (guest === undefined) return <Door onEnter={name => setGuest(enter(name))} />;
  return (
    <MsgProvider client={guest.client}>
      <Room own={guest.name} />
    </MsgProvider>
  );
}

function Door({ onEnter }: { readonly onEnter: (name: string) => void }) {
  const [name, setName] = useState('');
  return (
    <main className="panel">
      <h1>Lobby</h1>
      <p className="soft">What you say here reaches everybody at once.</p>
      <form
        onSubmit={event => {
          event.preventDefault();
          onEnter(name.trim());
        }}
      >
        <label htmlFor="name">Your name</label>
        <div className="fields">
          <input
            id="name"
            required
            maxLength={40}
            autoComplete="nickname"
            value={name}
            onChange={event => setName(event.target.value)}
          />
          <button type="submit">Enter</button>
        </div>
      </form>
    </main>
  );
}
