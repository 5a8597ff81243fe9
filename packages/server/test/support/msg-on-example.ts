// `msg` as it is, but for its service: that keeps everything in the SQLite file of the example, in its state directory.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Msg, type StoreBackend } from '@msg/server';
import { sqliteStores } from '../../../../examples/store-backend/backend.ts';
import { FileKeyringStore } from '../../src/auth/keys/store/file.ts';
import { main } from '../../src/cli/main.ts';

/** The example in a folder, with the keyring file of the folder brought in at the first start. */
function exampleStores(folder: string): StoreBackend {
  mkdirSync(folder, { recursive: true });
  const backend = sqliteStores(join(folder, 'store.sqlite'));
  return {
    async open(context) {
      const stores = await backend.open(context);
      const stored = await stores.keyring?.load();
      const file = stored === undefined ? await new FileKeyringStore(folder).load() : undefined;
      if (file !== undefined) await stores.keyring?.save(file.keySet, undefined);
      return stores;
    },
  };
}

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'msg-example-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const create = Msg.create.bind(Msg);
Msg.create = ({ stateDir, ...options } = {}) =>
  create({ ...options, stores: exampleStores(stateDir || temporaryFolder()) });

await main(process.argv);
