import type { JsonObject } from '#src/document/json.ts';
import { OrdersChannel } from '../data/orders-channel.ts';
import { Shop } from '../data/shop.ts';

const SELECTED = 'SELECT id, region, amount FROM orders ORDER BY id LIMIT 4';

/** A real database and a real channel, whose items are in every state that these can bring them into. */
export class SystemStates {
  readonly #shop: Shop;
  readonly #orders: OrdersChannel;

  private constructor(shop: Shop, orders: OrdersChannel) {
    this.#shop = shop;
    this.#orders = orders;
  }

  static async open(): Promise<SystemStates> {
    const [shop, orders] = await Promise.all([Shop.open(), OrdersChannel.open()]);
    for (const [at, region] of ['eu-central', 'us-east', 'ap-south'].entries())
      await orders.publish({
        region,
        amount: 20 * (at + 1),
        placed: `2026-01-05T${String(at + 8).padStart(2, '0')}:00:00Z`,
      });
    return new SystemStates(shop, orders);
  }

  /** Origins that may be asked, with the secrets that may be sent there. */
  get allow(): string[] {
    return [this.#shop.allow, this.#orders.origin];
  }

  /** Variables with the secrets. */
  get environment(): Readonly<Record<string, string>> {
    return this.#shop.environment;
  }

  document(): JsonObject {
    const rows = this.#rows();
    const connections = rows.map(({ id, type, config }) => ({ id, type, config }));
    return {
      manifest: { formatVersion: '1.0.0', id: 'system-states', title: 'A database and a channel' },
      connections,
      root: {
        id: 'page',
        type: 'container',
        children: [
          {
            id: 'body',
            type: 'container',
            config: { grid: { columns: [1, 1, 1], gap: 1 } },
            children: rows.map(({ id, item }) => ({
              id: `${id}-block`,
              type: 'block',
              config: { title: id, content: { id: `item-${id}`, ...item } },
            })),
          },
        ],
      },
    };
  }

  async close(): Promise<void> {
    await Promise.all([this.#shop.close(), this.#orders.stop()]);
  }

  #rows() {
    const sql = (
      id: string,
      text: string,
      config: JsonObject = {},
      type = 'table',
      look: JsonObject = {},
    ) => ({
      id: `sql-${id}`,
      ...this.#shop.connection({ cache: 3_600, ...config }),
      item: { type, config: { ...look, connectionId: `sql-${id}`, query: { text } } },
    });
    const msg = (id: string, config: JsonObject = {}, type = 'table', look: JsonObject = {}) => ({
      id: `msg-${id}`,
      ...this.#orders.connection(config),
      item: { type, config: { ...look, connectionId: `msg-${id}` } },
    });
    const bars = { kind: 'bar', x: 'region', series: [{ field: 'amount', label: 'amount' }] };
    const sum = { field: 'amount', aggregate: 'sum', unit: 'EUR' };
    return [
      sql('table', SELECTED),
      sql('metric', SELECTED, {}, 'metric', sum),
      sql('chart', SELECTED, {}, 'chart', bars),
      sql('empty', `${SELECTED.replace('ORDER', 'WHERE false ORDER')}`),
      sql('refused', 'SELECT id FROM order_lines'),
      sql('writes', 'DELETE FROM orders'),
      sql('slow', 'SELECT pg_sleep(20)', { statementTimeout: 1 }),
      sql('superuser', SELECTED, { url: this.#shop.server.url('admin') }),
      sql('secret', SELECTED, { password: { $secret: 'DASH_TEST_NO_SUCH_SECRET' } }),
      sql('forbidden', SELECTED, { url: 'postgres://reader@db.example:5432/shop', ssl: 'require' }),
      msg('table'),
      msg('metric', {}, 'metric', sum),
      msg('chart', {}, 'chart', bars),
      msg('empty', { channel: 'public:shop.short' }),
      msg('refused', { channel: 'private:shop.order.1' }),
      msg('unknown', { channel: 'public:shop.nobody' }),
      msg('forbidden', { url: 'ws://msg.example:8000/connection/websocket' }),
    ];
  }
}
