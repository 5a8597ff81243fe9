import { MsgProvider } from '@msg/react';
import { Customer } from './customer.tsx';
import { createClient } from './session.ts';
import { Shop } from './shop.tsx';

const client = createClient();

export function App() {
  if (location.pathname === '/staff') return <Shop />;
  return (
    <MsgProvider client={client}>
      <Customer />
    </MsgProvider>
  );
}
