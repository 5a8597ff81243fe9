// What runs in the browser: a reader of the lobby who, once signed in, also speaks, and enters the room of friends.
import { type ClientCredentials, MsgClient, SessionStorageTokenStore } from '@msg/client';
import { type PrivateChatRoomMessage, PublicChatLobbyPattern, privateChatRoomChannel } from './gen/index.ts';

type Message = PrivateChatRoomMessage;

const find = <T extends Element>(selector: string, within: ParentNode = document): T =>
  within.querySelector<T>(selector) as T; // the page has it
const state = find<HTMLElement>('#state');
const tokenStore = new SessionStorageTokenStore();

/** Shows a channel in a section of the page: its messages, how many are there, and a form to speak. */
function openRoom(client: MsgClient, channel: string, section: HTMLElement, maySpeak: boolean): void {
  const room = client.typedSubscribe<Message>(channel, { joinLeave: true });
  const show = (): Promise<void> =>
    room.presenceStats().then(
      ({ numClients }) => {
        find('.present', section).textContent = String(numClients);
      },
      () => {}, // not connected at the moment: the next join or leave says it again
    );
  room.on('subscribed', show).on('join', show).on('leave', show);
  room.on('publication', ({ data }) => {
    const line = document.createElement('li');
    line.textContent = `${data.from}: ${data.text}`;
    find('ul', section).append(line);
  });
  room.subscribe();

  section.hidden = false;
  const form = find<HTMLFormElement>('form', section);
  for (const control of form.querySelectorAll<HTMLInputElement>('input, button'))
    control.disabled = !maySpeak;
  form.onsubmit = event => {
    event.preventDefault();
    const input = find<HTMLInputElement>('input', form);
    const message: Message = { from: find<HTMLInputElement>('#name').value, text: input.value };
    client.publish(channel, message).catch(error => {
      state.textContent = String(error);
    });
    input.value = '';
  };
}

let client: MsgClient | undefined;

/** What the application's server lets the visitor do; asked again when the tokens no longer work. */
async function getCredentials(): Promise<ClientCredentials> {
  const response = await fetch('/sign-in', { method: 'POST' });
  if (!response.ok) throw new Error(`the server answered ${response.status}`);
  return response.json();
}

/** Connects with the tokens of this tab, with new ones, or as a reader without any. */
async function connect(isSignedIn: boolean): Promise<void> {
  client?.disconnect();
  client = new MsgClient({
    endpoint: location.origin,
    tokenStore,
    ...(isSignedIn ? { getCredentials } : {}),
  });
  client.on('terminal', ({ message }) => {
    state.textContent = `signed out: ${message}`;
  });
  await client.connect();
  state.textContent = isSignedIn ? 'signed in' : 'reading';
  openRoom(client, PublicChatLobbyPattern, find('#lobby'), isSignedIn);
  if (isSignedIn) openRoom(client, privateChatRoomChannel('friends'), find('#friends'), true);
}

find<HTMLButtonElement>('#sign-in').onclick = () => connect(true);

await connect((await tokenStore.get()) !== null);
