import { useChannel, usePresence } from '@msg/react';
import { type FormEvent, useState } from 'react';
import { type Line, ROOM } from '../shared/room.ts';
import { Connection } from './connection.tsx';

/** How many lines the page shows. */
const LINES = 200;

export function Room({ own }: { readonly own: string }) {
  const { items, publish } = useChannel<Line>(ROOM, { keep: LINES });
  return (
    <main className="room">
      <header>
        <h1>Lobby</h1>
        <People />
        <Connection />
      </header>
      {/* What scrolls must be reached by keyboard. */}
      <div className="log" role="log" aria-label="Messages" tabIndex={0}>
        <ol>
          {items.map(({ offset, data, info }) => (
            <li key={offset} className={info?.user === own ? 'own' : ''}>
              <b>{info?.user}</b>
              {data.text}
            </li>
          ))}
        </ol>
      </div>
      <Composer send={text => publish({ text } satisfies Line)} />
    </main>
  );
}

function People() {
  const names = new Set(usePresence(ROOM).clients.map(({ user }) => user));
  return <p className="soft">{[...names].toSorted().join(', ')}</p>;
}

function Composer({ send }: { readonly send: (text: string) => Promise<void> }) {
  const [text, setText] = useState('');
  const [fault, setFault] = useState('');
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    try {
      await send(text);
      setText('');
      setFault('');
    } catch (error) {
      setFault(`Not sent: ${error instanceof Error ? error.message : error}`);
    }
  };
  return (
    <form onSubmit={submit}>
      <label className="sr" htmlFor="text">
        Your message
      </label>
      <div className="fields">
        <input
          id="text"
          required
          maxLength={2000}
          autoComplete="off"
          value={text}
          onChange={event => setText(event.target.value)}
        />
        <button type="submit">Send</button>
      </div>
      <p className="fault" role="alert">
        {fault}
      </p>
    </form>
  );
}
