import { open, readFile, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isRecord } from '@msg/foundation/json';
import { SerialQueue } from '@msg/foundation/promises';
import { codeOf, makeDirectory, temporaryOf } from '../../config/directory.ts';
import { type KeyUsageStore, kidOf, SINCE, type UsageTable } from './contract.ts';

const FILE = 'keyusage.json';

/** `keyusage.json` in the state directory: mode 0600, replaced by rename. */
export class FileKeyUsageStore implements KeyUsageStore {
  readonly location: string;
  readonly #writes = new SerialQueue();

  constructor(stateDir: string) {
    this.location = join(stateDir, FILE);
  }

  load(now: number): Promise<UsageTable> {
    return this.#writes.run(async () => {
      const stored = await this.#read();
      if (stored.has(SINCE)) return stored;
      stored.set(SINCE, now);
      await this.#write(stored);
      return stored;
    });
  }

  raise(moments: UsageTable): Promise<void> {
    return this.#writes.run(async () => {
      const stored = await this.#read();
      for (const [entry, moment] of moments) if (moment > (stored.get(entry) ?? 0)) stored.set(entry, moment);
      await this.#write(stored);
    });
  }

  forget(kids: readonly string[]): Promise<void> {
    const gone = new Set(kids);
    return this.#writes.run(async () => {
      const stored = await this.#read();
      await this.#write(new Map([...stored].filter(([entry]) => !gone.has(kidOf(entry) ?? ''))));
    });
  }

  async #read(): Promise<Map<string, number>> {
    let text: string;
    try {
      text = await readFile(this.location, 'utf8');
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return new Map();
      throw error;
    }
    return parsed(text);
  }

  async #write(moments: UsageTable): Promise<void> {
    await makeDirectory(dirname(this.location), 0o700);
    const temporary = temporaryOf(this.location);
    const file = await open(temporary, 'w', 0o600);
    try {
      await file.writeFile(`${JSON.stringify(Object.fromEntries(moments), null, 2)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, this.location);
  }
}

/** A file that was damaged says nothing: the record begins anew, and its keys are unknown for as long as tokens live. */
function parsed(text: string): Map<string, number> {
  try {
    const value: unknown = JSON.parse(text);
    if (!isRecord(value)) return new Map();
    return new Map(
      Object.entries(value).filter((entry): entry is [string, number] => Number.isFinite(entry[1])),
    );
  } catch {
    return new Map();
  }
}
