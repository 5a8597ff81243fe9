import type { LinkEnd } from '@msg/engine/threads';
import { type AskedStore, type Question, StoreCall } from './calls.ts';
import { linkFailure } from './errors.ts';

/** Asks main for an operation of one of its stores. */
export async function ask<Answer>(
  link: LinkEnd,
  store: AskedStore,
  method: string,
  ...args: readonly unknown[]
): Promise<Answer> {
  const question: Question = { store, method, args };
  return (await callMain(link, StoreCall.ask, question)) as Answer; // as the store of main answers
}

/** A call of main. Rejects with a coded error when it is not answered. */
export async function callMain(link: LinkEnd, name: string, argument?: unknown): Promise<unknown> {
  try {
    return await link.call(name, argument);
  } catch (error) {
    throw linkFailure(error);
  }
}

/** A store whose operations main carries out: those that are named, each with a promise of its answer. */
export function askedStore<Store, Name extends keyof Store & string>(
  link: LinkEnd,
  store: AskedStore,
  methods: readonly Name[],
): Pick<Store, Name> {
  const operations = methods.map(method => {
    const operation = (...args: readonly unknown[]): Promise<unknown> => ask(link, store, method, ...args);
    return [method, operation] as const;
  });
  return Object.fromEntries(operations) as Pick<Store, Name>; // the store of main has these operations
}
