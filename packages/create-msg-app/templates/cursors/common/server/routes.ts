import { randomInt } from 'node:crypto';
import type { Msg } from '@msg/server';
import { BOARD } from '../shared/board.ts';
import type { Routes } from './route.ts';

export async function createRoutes(msg: Msg): Promise<Routes> {
  return {
    // In your app: the user who signed in.
    'POST /session': () =>
      msg.tokens.issueAccess({
        subject: `Guest ${randomInt(100, 1000)}`,
        scopes: [{ pattern: BOARD, verbs: ['subscribe', 'publish'] }],
      }),
  };
}
