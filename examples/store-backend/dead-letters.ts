import type { DeadLetter, DeadLetterClaim, DeadLetterQueue, NewDeadLetter, Random } from '@msg/server';
import type { Database, Row } from './database.ts';

const PER_SINK = 10_000;

const letterOf = (row: Row): DeadLetter => JSON.parse(String(row['letter']));

/** Letters in the table `dead_letters`. Claims end with the process: its letters can be replayed again. */
export class SqliteDeadLetterQueue implements DeadLetterQueue {
  readonly #database: Database;
  readonly #random: Random;
  readonly #capacity: number;
  readonly #claimed = new Set<string>();

  constructor(database: Database, random: Random, capacity = PER_SINK) {
    this.#database = database;
    this.#random = random;
    this.#capacity = capacity;
  }

  async push(letter: NewDeadLetter): Promise<string> {
    const id = Buffer.from(this.#random.bytes(8)).toString('hex');
    const { sink, parkedAt } = letter;
    const text = JSON.stringify({ id, ...letter });
    this.#database.transaction(() => {
      const insert = 'INSERT INTO dead_letters (id, sink, parked, letter) VALUES (?, ?, ?, ?)';
      this.#database.run(insert, id, sink, parkedAt, text);
      const old = 'SELECT seq FROM dead_letters WHERE sink = ? ORDER BY seq DESC LIMIT -1 OFFSET ?';
      this.#database.run(`DELETE FROM dead_letters WHERE seq IN (${old})`, sink, this.#capacity);
    });
    return id;
  }

  async list(sink: string | undefined, limit: number): Promise<readonly DeadLetter[]> {
    const where = sink === undefined ? '' : 'WHERE sink = ?';
    const select = `SELECT letter FROM dead_letters ${where} ORDER BY parked DESC, id DESC LIMIT ?`;
    const values = sink === undefined ? [] : [sink];
    return this.#database.all(select, ...values, limit === 0 ? -1 : limit).map(letterOf);
  }

  async sizes(): Promise<ReadonlyMap<string, number>> {
    const rows = this.#database.all('SELECT sink, count(*) AS size FROM dead_letters GROUP BY sink');
    return new Map(rows.map(row => [String(row['sink']), Number(row['size'])]));
  }

  async discard(id: string): Promise<boolean> {
    return this.#database.run('DELETE FROM dead_letters WHERE id = ?', id) > 0;
  }

  async claim(id: string): Promise<DeadLetterClaim | undefined> {
    const row = this.#database.get('SELECT letter FROM dead_letters WHERE id = ?', id);
    if (row === undefined || this.#claimed.has(id)) return undefined;
    this.#claimed.add(id);
    const letter = letterOf(row);
    const release = async () => void this.#claimed.delete(id);
    return {
      letter,
      release,
      remove: async () => {
        await this.discard(id);
        await release();
      },
      fail: async failure => {
        const text = JSON.stringify({ ...letter, ...failure });
        this.#database.run('UPDATE dead_letters SET letter = ? WHERE id = ?', text, id);
        await release();
      },
    };
  }
}
