import { ORDER, STEPS, type Step } from '../shared/order.ts';
import { readSteps, timeOfDay } from './backend.ts';
import { find } from './find.ts';
import { createClient } from './session.ts';

/** Follows the order: reads it once, then takes what is published. */
export function showCustomer(): void {
  const rows = new Map(STEPS.map(name => [name as string, createRow(name)]));
  find('.steps').replaceChildren(...rows.values());
  find('#customer').hidden = false;

  const show = (step: Step): void => {
    const row = rows.get(step.name);
    row?.classList.add('done');
    row?.querySelector('time')?.replaceChildren(timeOfDay(step));
  };
  const client = createClient();
  const order = client.typedSubscribe<Step>(ORDER);
  order.on('publication', ({ data }) => show(data));
  order.on('subscribed', async ({ wasRecovering, recovered }) => {
    // Recovered: what was missed comes now, in order. Else the shop is asked for all of it.
    if (wasRecovering && recovered) return showState('Back online', 'back');
    for (const step of await readSteps()) show(step);
    showState('Live', 'live');
  });
  client.on('state', ({ state }) => {
    if (state !== 'connected') showState('Offline');
  });
  order.subscribe();
  client.connect();
}

function createRow(name: string): HTMLLIElement {
  const row = document.createElement('li');
  row.append(name, document.createElement('time'));
  return row;
}

function showState(text: string, kind = ''): void {
  const state = find('#customer .state');
  state.textContent = text;
  state.className = `state ${kind}`;
}
