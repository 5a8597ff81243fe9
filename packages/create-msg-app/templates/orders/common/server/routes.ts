import type { Msg } from '@msg/server';
import { ORDER, STEPS, type Step } from '../shared/order.ts';
import type { Routes } from './route.ts';

export async function createRoutes(msg: Msg): Promise<Routes> {
  /** What the shop knows of the order. A real shop keeps it in its database. */
  const steps: Step[] = [];
  // Another node may have been faster.
  await msg.channels.createPrivate({ name: ORDER, ifExists: 'reuse' });

  return {
    // In your app: for the customer who signed in, and for nobody else.
    'POST /session': () =>
      msg.tokens.issueAccess({ subject: 'ann', scopes: [{ pattern: ORDER, verbs: ['subscribe'] }] }),

    'GET /order': () => steps,

    // Saves the next step of the order, then publishes it.
    'POST /advance': async () => {
      const name = STEPS[steps.length];
      if (name === undefined) return { done: true };
      const step: Step = { name, at: new Date().toISOString() };
      steps.push(step);
      const { offset } = await msg.publish(ORDER, step);
      return { offset };
    },
  };
}
