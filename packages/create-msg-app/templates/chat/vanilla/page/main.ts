import type { ClientInfo } from '@msg/client';
import { type Line, ROOM } from '../shared/room.ts';
import { find } from './find.ts';
import { createClient } from './session.ts';
import './base.css';
import './style.css';

const name = find<HTMLInputElement>('#name');
name.focus();

find('#door form').addEventListener('submit', event => {
  event.preventDefault();
  enter(name.value.trim());
});

function enter(own: string): void {
  find('#door').hidden = true;
  find('#room').hidden = false;
  const client = createClient(`?name=${encodeURIComponent(own)}`);
  // From the beginning of the stream: who comes late reads what was said before.
  const room = client.typedSubscribe<Line>(ROOM, { since: { offset: 0, epoch: '' }, joinLeave: true });
  room.on('publication', ({ data, info }) => show(info?.user ?? '', data.text, own));
  for (const event of ['subscribed', 'join', 'leave'] as const)
    room.on(event, async () => showPeople(Object.values((await room.presence()).clients)));
  client.on('state', ({ state }) => {
    find('.state').className = state === 'connected' ? 'state live' : 'state';
    find('.state').textContent = state === 'connected' ? 'Live' : 'Offline';
  });
  room.subscribe();
  client.connect();

  const text = find<HTMLInputElement>('#text');
  text.focus();
  find('#room form').addEventListener('submit', async event => {
    event.preventDefault();
    try {
      await client.publish(ROOM, { text: text.value } satisfies Line);
      text.value = '';
      find('.fault').textContent = '';
    } catch (error) {
      find('.fault').textContent = `Not sent: ${error instanceof Error ? error.message : error}`;
    }
  });
}

function show(user: string, text: string, own: string): void {
  const row = document.createElement('li');
  const author = document.createElement('b');
  author.textContent = user;
  row.className = user === own ? 'own' : '';
  row.append(author, text);
  find('.log ol').append(row);
}

function showPeople(clients: readonly ClientInfo[]): void {
  find('#people').textContent = [...new Set(clients.map(({ user }) => user))].toSorted().join(', ');
}
