import { MsgProvider } from '@msg/react';
import { Board } from './board.tsx';
import { createClient } from './session.ts';

const client = createClient();

export function App() {
  return (
    <MsgProvider client={client}>
      <Board />
    </MsgProvider>
  );
}
