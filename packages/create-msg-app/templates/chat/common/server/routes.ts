import type { Msg } from '@msg/server';
import { ROOM } from '../shared/room.ts';
import type { Routes } from './route.ts';

const LONGEST_NAME = 40;

export async function createRoutes(msg: Msg): Promise<Routes> {
  return {
    // Everybody may read the room. Who has a token may write; the name is in the token, so that nobody can borrow it.
    'POST /session': query => {
      const subject = query.get('name')?.trim() ?? ''; // in your app: the user who signed in
      if (subject === '' || subject.length > LONGEST_NAME) return undefined;
      return msg.tokens.issueAccess({
        subject,
        scopes: [{ pattern: ROOM, verbs: ['subscribe', 'publish'] }],
      });
    },
  };
}
