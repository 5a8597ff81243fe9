import { useConnection } from '@msg/react';

/** Whether the page follows what happens. */
export function Connection() {
  const isLive = useConnection().state === 'connected';
  return (
    <p className={isLive ? 'state live' : 'state'} role="status">
      {isLive ? 'Live' : 'Offline'}
    </p>
  );
}
