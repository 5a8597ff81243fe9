// The live page: the stock client of the Centrifuge protocol, which loads the state by itself whenever it has to.
import { Centrifuge, subscribingCodes } from 'centrifuge';
import { CHANNEL, type Order, type Row, type State } from '../model.ts';
import { Board } from './board.ts';
import { find } from './find.ts';

/** What the backend answers; an error with its own words when it refuses. */
async function ask<T>(path: string, body?: object): Promise<T> {
  const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  const response = await fetch(`/api/${path}`, init);
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.error);
  return answer;
}

const board = new Board(order => act(() => ask<Order>(`orders/${order.id}/next`, order), takenOn));
const outcome = find('#outcome');

const placed = ({ id }: Order): string => `Order ${id} is placed.`;
const takenOn = ({ id, step }: Order): string => `Order ${id}: ${step.toLowerCase()}.`;

/** Does what was asked for, and says what came of it. What changed comes with the stream, as to every other page. */
async function act(action: () => Promise<Order>, told: (order: Order) => string): Promise<void> {
  outcome.className = '';
  try {
    outcome.textContent = told(await action());
  } catch (error) {
    outcome.className = 'fault';
    outcome.textContent = error instanceof Error ? error.message : String(error);
  }
}

find('#place').addEventListener('submit', event => {
  event.preventDefault();
  const { item } = Object.fromEntries(new FormData(event.target as HTMLFormElement));
  void act(() => ask<Order>('orders', { item }), placed);
});

const { endpoint } = await ask<{ endpoint: string }>('endpoint');
const client = new Centrifuge(endpoint, { minReconnectDelay: 100, maxReconnectDelay: 2000 });
const orders = client.newSubscription(CHANNEL, {
  // The first time, and whenever the stream cannot continue where this page was.
  async getState() {
    const { position, rows } = await ask<State>('state');
    board.replace(rows);
    return position;
  },
});
orders.on('publication', ({ data }) => board.apply(data as Row));
orders.on('subscribed', () => board.showConnection('ok', 'Live'));
orders.on('subscribing', ({ code }) => {
  const isFirst = code === subscribingCodes.subscribeCalled;
  board.showConnection(isFirst ? 'off' : 'warn', isFirst ? 'Connecting' : 'Offline, orders may be older');
});
orders.subscribe();
client.connect();
