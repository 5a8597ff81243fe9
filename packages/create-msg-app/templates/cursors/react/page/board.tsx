import { useChannel, useMsg, usePresence } from '@msg/react';
import { type CSSProperties, useEffect, useRef, useState } from 'react';
import { BOARD, type Point } from '../shared/board.ts';
import { Connection } from './connection.tsx';
import { colourOf, followPointer } from './pointer.ts';

/** By connection. */
type Points = Readonly<Record<string, Point>>;

export function Board() {
  const board = useRef<HTMLDivElement>(null);
  const [points, setPoints] = useState<Points>({});
  const own = useOwnId();
  const { clients } = usePresence(BOARD);
  const { publish } = useChannel<Point>(BOARD, {
    onPublication: ({ data, info }) => info && setPoints(before => ({ ...before, [info.client]: data })),
  });

  useEffect(() => {
    if (board.current === null) return;
    // A lost position is followed by the next one.
    return followPointer(board.current, point => publish(point).catch(() => {}));
  }, [publish]);

  const others = clients.filter(({ client }) => client !== own);
  return (
    <main className="desk">
      <header>
        <h1>Board</h1>
        <p className="soft">{clients.length} here</p>
        <Connection />
      </header>
      <div
        className="board"
        role="application"
        aria-label="Board: point with the arrow keys"
        tabIndex={0}
        ref={board}
      >
        <p className="hint">Point with the mouse, a finger or the arrow keys</p>
        {others.map(
          ({ client, user }) =>
            points[client] && (
              <Cursor key={client} point={points[client]} name={user} colour={colourOf(client)} />
            ),
        )}
      </div>
    </main>
  );
}

interface CursorProps {
  readonly point: Point;
  readonly name: string;
  readonly colour: number;
}

function Cursor({ point, name, colour }: CursorProps) {
  const place = { '--x': point.x, '--y': point.y } as CSSProperties;
  return (
    <div className={`cursor colour-${colour}`} style={place}>
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <path d="M1 1l13 6-6 1.5L6 14z" />
      </svg>
      <span>{name}</span>
    </div>
  );
}

/** The id of this page's own connection. */
function useOwnId(): string {
  const client = useMsg();
  const [id, setId] = useState('');
  useEffect(() => {
    const connected = (context: { readonly client: string }): void => setId(context.client);
    client.raw().on('connected', connected);
    return () => {
      client.raw().off('connected', connected);
    };
  }, [client]);
  return id;
}
