import type { ClientInfo } from '@msg/client';
import { BOARD, type Point } from '../shared/board.ts';
import { find } from './find.ts';
import { colourOf, followPointer } from './pointer.ts';
import { createClient } from './session.ts';
import './base.css';
import './style.css';

const client = createClient();
const board = client.typedSubscribe<Point>(BOARD, { joinLeave: true });
/** The cursors of the others, by their connection. */
const cursors = new Map<string, HTMLElement>();
let own = '';

board.on('publication', ({ data, info }) => {
  if (info !== undefined && info.client !== own) place(info, data);
});
board.on('leave', ({ info }) => {
  cursors.get(info.client)?.remove();
  cursors.delete(info.client);
});
for (const event of ['subscribed', 'join', 'leave'] as const)
  board.on(event, async () => {
    const { clients } = await board.presence();
    find('#people').textContent = `${Object.keys(clients).length} here`;
  });
client.raw().on('connected', context => {
  own = context.client;
});
client.on('state', ({ state }) => {
  find('.state').className = state === 'connected' ? 'state live' : 'state';
  find('.state').textContent = state === 'connected' ? 'Live' : 'Offline';
});
board.subscribe();
client.connect();

followPointer(find('.board'), point => {
  // A lost position is followed by the next one.
  client.publish(BOARD, point).catch(() => {});
});

function place(info: ClientInfo, { x, y }: Point): void {
  const cursor = cursors.get(info.client) ?? createCursor(info);
  cursor.style.setProperty('--x', String(x));
  cursor.style.setProperty('--y', String(y));
}

function createCursor({ client: id, user }: ClientInfo): HTMLElement {
  const copy = find<HTMLTemplateElement>('template').content.cloneNode(true) as DocumentFragment;
  const cursor = copy.firstElementChild as HTMLElement; // the template has one element
  cursor.classList.add(`colour-${colourOf(id)}`);
  cursor.querySelector('span')?.replaceChildren(user);
  find('.board').append(cursor);
  cursors.set(id, cursor);
  return cursor;
}
