import type { Step } from '../shared/order.ts';

async function ask<Answer>(method: string, path: string): Promise<Answer> {
  const response = await fetch(path, { method });
  if (!response.ok) throw new Error(`the shop answered ${response.status}`);
  return response.json();
}

/** Every step that the shop knows of: for the first look, and when the stream no longer holds what was missed. */
export const readSteps = (): Promise<readonly Step[]> => ask('GET', '/order');

/** Takes the next step; `offset` is its place in the stream of the order. */
export const advance = (): Promise<{ readonly offset?: number; readonly done?: true }> =>
  ask('POST', '/advance');

/** What to tell about it. */
export const outcome = ({ offset }: { readonly offset?: number }): string =>
  offset === undefined ? 'The order is delivered' : `Published as number ${offset} of the order`;

/** The time of day of a step. */
export const timeOfDay = ({ at }: Step): string =>
  at === undefined ? '' : new Date(at).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });
