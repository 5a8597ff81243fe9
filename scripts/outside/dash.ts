import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { FileStore, openDocumentEngine } from '@msg/dash';
import { Charts, createApp } from '@msg/dash/internal';
import { systemClock } from '@msg/foundation/clock';
import { probe } from './probe.ts';

const DOCUMENT = 'first-steps';

/** A program of the package that runs until `use` is done with its lines. */
async function withProgram<T>(
  root: string,
  args: readonly string[],
  use: (lines: AsyncIterator<string>, send: (message: object) => void) => Promise<T>,
): Promise<T> {
  const bin = resolve(root, 'packages/dash/bin/dashdoc.js');
  const child = spawn(process.execPath, [bin, ...args], { stdio: ['pipe', 'pipe', 'ignore'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  try {
    return await use(lines, message => void child.stdin.write(`${JSON.stringify(message)}\n`));
  } finally {
    child.kill();
  }
}

/** Routes of a served store and of a served document, asked of programs that run. */
export async function dashRoutes(root: string): Promise<object> {
  const folder = mkdtempSync(join(tmpdir(), 'outside-'));
  try {
    cpSync(resolve(root, 'packages/dash/examples', `${DOCUMENT}.json`), join(folder, `${DOCUMENT}.json`));
    const engine = openDocumentEngine();
    const painter = new Charts(systemClock);
    const store = new FileStore({ root: folder });
    const [asset = ''] = readdirSync(resolve(root, 'packages/dash/static'));
    const binding = { address: '127.0.0.1', host: '127.0.0.1', allowHosts: [] };
    const found: Record<string, object> = {};
    for (const [what, args, served] of [
      ['store', ['--root', folder], { store }],
      ['document', [join(folder, `${DOCUMENT}.json`)], { read: () => Promise.reject(new Error('not read')) }],
    ] as const) {
      const app = createApp({ served, engine, painter, binding });
      const paths = new Set(app.routes.map(({ path }) => path).filter(path => !path.includes('*')));
      found[what] = await withProgram(root, ['serve', ...args, '--port', '0'], async lines => {
        const { value: banner } = await lines.next();
        const base = String(banner).split(' on ')[1] ?? '';
        const asked: Record<string, object> = {};
        const ask = (path: string, id: string, name: string) =>
          probe(new URL(path.replace(':id', id).replace(':name', name), base));
        for (const path of [...paths, '/no-such-path']) {
          asked[path] = await ask(path, DOCUMENT, asset);
          if (path.includes(':')) asked[`${path} (absent)`] = await ask(path, 'no', 'no');
        }
        return asked;
      });
    }
    return found;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What the tool server says of itself: tools with their schemas, resources, capabilities. */
export async function mcp(root: string): Promise<object> {
  return withProgram(root, ['mcp', '--root', '.'], async (lines, send) => {
    const ask = async (id: number, method: string, params: object): Promise<Record<string, unknown>> => {
      send({ jsonrpc: '2.0', id, method, params });
      const { value } = await lines.next();
      return (JSON.parse(String(value)) as { result: Record<string, unknown> }).result;
    };
    const clientInfo = { name: 'outside', version: '1' };
    const initialized = await ask(1, 'initialize', {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo,
    });
    send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    const { tools } = await ask(2, 'tools/list', {});
    const { resources } = await ask(3, 'resources/list', {});
    const named = (items: unknown, key: string): object =>
      Object.fromEntries((items as Record<string, unknown>[]).map(item => [String(item[key]), item]));
    return {
      capabilities: initialized['capabilities'],
      tools: named(tools, 'name'),
      resources: named(resources, 'uri'),
    };
  });
}
