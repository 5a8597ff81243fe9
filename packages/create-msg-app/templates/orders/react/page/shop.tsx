import { useState } from 'react';
import { advance, outcome } from './backend.ts';

export function Shop() {
  const [status, setStatus] = useState('2 parcels, Hamburg to Lyon');
  const next = async () => setStatus(await advance().then(outcome, error => error.message));
  return (
    <main className="panel">
      <h1>Order 1042</h1>
      <div className="fields">
        <button type="button" onClick={next}>
          Next step
        </button>
        <a href="/">What the customer sees</a>
      </div>
      <p className="soft" role="status">
        {status}
      </p>
    </main>
  );
}
