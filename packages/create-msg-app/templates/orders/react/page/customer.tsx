import { useChannel } from '@msg/react';
import { useCallback, useEffect, useState } from 'react';
import { ORDER, STEPS, type Step } from '../shared/order.ts';
import { readSteps, timeOfDay } from './backend.ts';

type Done = Readonly<Record<string, Step>>;

/** Follows the order: reads it once, then takes what is published. */
export function Customer() {
  const [done, setDone] = useState<Done>({});
  const add = useCallback((steps: readonly Step[]) => {
    setDone(before => ({ ...before, ...Object.fromEntries(steps.map(step => [step.name, step])) }));
  }, []);
  const { state, recovered } = useChannel<Step>(ORDER, { onPublication: ({ data }) => add([data]) });
  const isLive = state === 'subscribed';

  // Recovered: what was missed comes now, in order. Else the shop is asked for all of it.
  useEffect(() => {
    if (isLive && recovered !== true) void readSteps().then(add);
  }, [isLive, recovered, add]);

  return (
    <main className="panel">
      <h1>Your order is on its way</h1>
      <ol className="steps">
        {STEPS.map(name => (
          <li key={name} className={name in done ? 'done' : ''}>
            {name}
            <time>{done[name] && timeOfDay(done[name])}</time>
          </li>
        ))}
      </ol>
      <State isLive={isLive} isBack={recovered === true} />
    </main>
  );
}

function State({ isLive, isBack }: { readonly isLive: boolean; readonly isBack: boolean }) {
  const [text, kind] = !isLive ? ['Offline', ''] : isBack ? ['Back online', 'back'] : ['Live', 'live'];
  return (
    <p className={`state ${kind}`} role="status">
      {text}
    </p>
  );
}
