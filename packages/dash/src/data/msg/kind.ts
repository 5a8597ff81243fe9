import { type JsonObject, numberMember, ownMember } from '../../document/json.ts';
import type { DataRows } from '../contract.ts';
import { originOfConnection } from '../dial/origin.ts';
import type { DataRequest, DataSource, DataSourceKind, OpenConnection, SourceTools } from '../source.ts';
import { loadClients, type OpenClient } from './driver.ts';
import { Listening } from './listening.ts';
import { pickedRows } from './rows.ts';

const USUAL_HISTORY = 100;

/** A channel of msg, or of any server that speaks the Centrifuge protocol (page and review 5.6). */
export const MSG: DataSourceKind = {
  type: 'msg',
  atHand: false,
  timed: false,
  live: true,
  addressOf: config => ownMember(config, 'url'),
  open: tools => new Channels(tools),
};

/** One connection for each address and token. */
class Channels implements DataSource {
  readonly #connections = new Map<string, Listening>();
  readonly #tools: SourceTools;

  constructor(tools: SourceTools) {
    this.#tools = tools;
  }

  async ask(request: DataRequest): Promise<DataRows> {
    const listening = this.#listening(await loadClients(), request);
    const { config, query, signal } = request;
    const feed = await listening.ask(channelOf(config), historyOf(config), signal);
    const fields = ownMember(query, 'fields');
    const limit = Math.min(numberMember(query, 'limit') ?? historyOf(config), historyOf(config));
    const picked = Array.isArray(fields) ? { limit, fields: fields.map(String) } : { limit };
    return pickedRows(feed.publications.rows, picked, feed.warning);
  }

  watch(watched: OpenConnection, onChange: () => void): () => void {
    let stop = (): void => {
      stop = () => undefined;
      isOver = true;
    };
    let isOver = false;
    const begin = async (): Promise<void> => {
      const open = await loadClients();
      if (isOver) return;
      const { config } = watched;
      stop = this.#listening(open, watched).watch(channelOf(config), historyOf(config), onChange);
    };
    // A client that is not installed is told to those who ask.
    begin().catch(() => undefined);
    return () => stop();
  }

  async close(): Promise<void> {
    for (const listening of [...this.#connections.values()]) listening.close();
  }

  /** The connection, which must be asked or watched at once: it ends with the last channel. */
  #listening(open: OpenClient, { connection, config }: OpenConnection): Listening {
    const stored = connection.config ?? {};
    const key = JSON.stringify(['url', 'token'].map(member => ownMember(stored, member)));
    const token = ownMember(config, 'token');
    const { lookup } = this.#tools;
    const listening =
      this.#connections.get(key) ??
      new Listening(
        onFailure =>
          open({
            url: urlOf(config),
            token: typeof token === 'string' ? token : undefined,
            lookup,
            onFailure,
          }),
        this.#tools,
        () => this.#connections.delete(key),
      );
    this.#connections.set(key, listening);
    return listening;
  }
}

/** The address as it was checked. */
function urlOf(config: JsonObject): string {
  const { text, rest } = originOfConnection(config);
  return `${text}${rest}`;
}

const channelOf = (config: JsonObject): string => String(ownMember(config, 'channel'));
const historyOf = (config: JsonObject): number => numberMember(config, 'history') ?? USUAL_HISTORY;
