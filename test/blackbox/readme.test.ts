import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createRpcClient } from '@msg/core';
import { eventually, freePort, ShellProcess } from '@msg/testkit';
import { afterEach, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
const README = readFileSync(join(ROOT, 'README.md'), 'utf8');

/** The fenced blocks of the section, in order: language and text. */
function blocks(heading: string): { language: string; text: string }[] {
  const section = README.split(/^## /m).find(part => part.startsWith(heading)) ?? '';
  return [...section.matchAll(/^```(\w+)\n([\s\S]*?)^```/gm)].map(([, language = '', text = '']) => ({
    language,
    text,
  }));
}

const started: ShellProcess[] = [];
const folders: string[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map(child => child.stop()));
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function shell(command: string, cwd: string, env: Record<string, string> = {}): ShellProcess {
  const child = new ShellProcess(command, { cwd, env });
  started.push(child);
  return child;
}

it('its own text takes a newcomer from nothing to a received publication', async () => {
  const [start, open, script, listen, publish, ...rest] = blocks('Try it');
  expect(rest).toEqual([]);
  expect(script?.language).toBe('js');
  const port = await freePort();

  // `npm ci` ran before the tests; the port is the only other difference.
  expect(start?.text).toBe('npm ci && npm start\n');
  // The script finds the stock client as anything below the repository does.
  mkdirSync(join(ROOT, '.tmp'), { recursive: true });
  const folder = mkdtempSync(join(ROOT, '.tmp/readme-'));
  folders.push(folder);
  const startServer = async () => {
    const server = shell(`npm start -- --addr 127.0.0.1:${port} --state-dir ${join(folder, 'state')}`, ROOT);
    const [, token = ''] = await server.printed('stderr', /bootstrap mgmt token.*\n(\S+)\n/);
    await server.printed('stderr', new RegExp(`"addr":"127.0.0.1:${port}"`));
    return { server, token };
  };
  const { server, token } = await startServer();

  const env = { MSG_SERVER: `http://127.0.0.1:${port}` };
  const openRoom = () => shell((open?.text ?? '').replace('<the token>', token), ROOT, env).succeeded();
  await openRoom();

  const name = /`(\S+\.mjs)`/.exec(README)?.[1] ?? '';
  writeFileSync(join(folder, name), (script?.text ?? '').replace('localhost:8000', `127.0.0.1:${port}`));
  const listener = shell(listen?.text ?? '', folder);
  await listener.printed('stdout', /listening/);

  const publishOnce = async () => {
    const publisher = shell(publish?.text ?? '', ROOT, { ...env, MSG_TOKEN: token });
    await publisher.succeeded();
    return publisher;
  };
  const publisher = await publishOnce();
  expect(JSON.parse(publisher.stdout)).toMatchObject({ code: 'OK', payload: { offset: 1 } });
  const promised = /The listener prints `(.*?)`/.exec(README)?.[1] ?? 'nothing is promised';
  const line = new RegExp(`^${promised.replace(/[{}[\]()'.]/g, '\\$&')}$`, 'm');
  await listener.printed('stdout', line);

  // The listener survives the server, and the token of before still works.
  await server.stop();
  await startServer();
  await openRoom();
  await listener.printed('stdout', /listening[\s\S]*listening/);
  await publishOnce();
  await listener.printed('stdout', new RegExp(`${line.source}[\\s\\S]*${line.source}`, 'm'));
}, 120_000);

it('lets a message grow in two terminals', async () => {
  const [config, start, subscribe, append, ...rest] = blocks('A message that grows');
  expect(rest).toEqual([]);
  mkdirSync(join(ROOT, '.tmp'), { recursive: true });
  const folder = mkdtempSync(join(ROOT, '.tmp/readme-'));
  folders.push(folder);
  writeFileSync(join(folder, 'append.yaml'), config?.text ?? '');
  const port = await freePort();
  const command = (start?.text.trim() ?? '').replace('append.yaml', join(folder, 'append.yaml'));
  const server = shell(`${command} --addr 127.0.0.1:${port} --state-dir ${join(folder, 'state')}`, ROOT);
  const [, token = ''] = await server.printed('stderr', /bootstrap mgmt token.*\n(\S+)\n/);
  await server.printed('stderr', new RegExp(`"addr":"127.0.0.1:${port}"`));

  const env = { MSG_SERVER: `http://127.0.0.1:${port}` };
  const reader = shell(subscribe?.text ?? '', ROOT, env);
  const client = createRpcClient<AbortSignal>({ server: env.MSG_SERVER, token, fetch });
  // The channel is there from the first subscriber on.
  const listeners = () => client.call('Presence', { name: 'public:demo.log' }).catch(() => null);
  await eventually('the reader listens', async () => (await listeners())?.subscribers === 1);
  const producer = shell((append?.text ?? '').replace('<the token>', token), ROOT, env);
  await reader.printed('stderr', /^-- \S+ complete$/m);
  await producer.succeeded();
  expect(reader.stdout).toBe('one\nmessage\nthat\ngrows\n\n');
  expect(JSON.parse(producer.stdout)).toMatchObject({ code: 'OK', payload: { status: 'complete' } });
}, 120_000);
