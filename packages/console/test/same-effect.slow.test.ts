import { execFile } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RpcResponse } from '@msg/core';
import { cleanEnv, MSG_BIN } from '@msg/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Act, actsOf } from './acts.ts';
import { Service } from './service.ts';
import { Visit } from './visit.ts';

let service: Service;
let visit: Visit;
let folder = '';

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'msg-console-'));
  writeFileSync(join(folder, 'payload.bin'), '{"n":1}');
  service = await Service.configured(
    `sinks:\n${['orders', 'spare', 'slow'].map(name => `  ${name}: { kind: webhook, url: "http://127.0.0.1:9/hook" }\n`).join('')}sink_retry: { max_attempts: 1 }\n`,
    ['--private-sink-urls', '--state-dir', mkdtempSync(join(tmpdir(), 'msg-console-'))],
  );
  visit = await Visit.start(service.server.url);
  await visit.signIn(service.server.token);
}, 240_000);
afterAll(async () => {
  await visit.stop();
  await service.stop();
});

type AuditRecord = RpcResponse<'AuditList'>['records'][number];

/** A command says what the page leaves to the service: a day. */
const DEFAULTS = ', session_ttl_seconds=86400';
const OWN_NAMES: ReadonlySet<string> = new Set(['GenerateKey', 'DlqRedrive']);
/** Other letters of the same group. */
const OF_LETTERS = /, ids=\[.*/;

/** The newest record of a method by the page, as it is. */
async function newestOf(method: string): Promise<string> {
  const { records } = await service.rpc.call('AuditList', { method, via: 'console', limit: 1 });
  return JSON.stringify(records);
}

/** The newest record of a method through an entry, without what differs by its nature. */
async function recordOf(
  method: string,
  via: string,
  made: string,
): Promise<Pick<AuditRecord, 'outcome' | 'target' | 'detail' | 'role'> | undefined> {
  const { records } = await service.rpc.call('AuditList', { method, via, limit: 1 });
  const [newest] = records;
  if (newest === undefined) return undefined;
  const { outcome, target, detail, role } = newest;
  return {
    outcome,
    role,
    // The service names a new key and a new job itself.
    target: OWN_NAMES.has(method) ? target.replace(/:.*/, '') : target.replace(made, '<made>'),
    detail: detail.replace(made, '<made>').replace(DEFAULTS, '').replace(OF_LETTERS, ''),
  };
}

async function lastOf(name: string): Promise<readonly unknown[]> {
  const { publications } = await service.rpc.call('History', { name });
  return publications.map(({ data, encoding, tags, offset }) => [data, encoding, tags, offset]);
}

/** Acts on the page. @returns the command lines that it shows */
async function act(one: Act, made: string): Promise<readonly string[]> {
  const { page, before, button, fields, verb, sees } = one;
  await visit.open(page(made));
  await visit.settles();
  for (const [field, text] of Object.entries(before?.(made) ?? {}))
    await visit.page.locator(field).fill(text);
  if (!(await visit.button(button).isVisible())) await visit.button('More actions').click();
  const beside = await visit.page.locator('#content .cmd code').allInnerTexts();
  await visit.button(button).click();
  if (verb === undefined) {
    if (sees === undefined) await visit.page.locator('.toast, .fault').first().waitFor();
    else await visit.sees(sees);
    return [...(await visit.page.locator('.toast .cmd code').allInnerTexts()), ...beside];
  }
  await visit.page.locator('dialog[open]').waitFor();
  for (const [field, text] of Object.entries(fields?.(made) ?? {}))
    if ((await visit.page.locator(field).count()) > 0) await visit.page.locator(field).fill(text);
  const lines = await visit.page.locator('dialog[open] .cmd code').allInnerTexts();
  await visit.page.locator('dialog[open]').getByRole('button', { name: verb }).click();
  return lines;
}

/** Runs a line of the page as it stands there. @param isDone when a program that goes on has done its work */
function runLine(line: string, isDone?: () => Promise<boolean>): Promise<string> {
  const program = `exec '${process.execPath}' '${MSG_BIN}'${line.replace(/^msg/, '')}`;
  const env = cleanEnv({ MSG_SERVER: service.server.url, MSG_TOKEN: service.server.token, HOME: folder });
  return new Promise((resolve, reject) => {
    const child = execFile('sh', ['-c', program], { cwd: folder, env }, (_error, _stdout, stderr) =>
      resolve(stderr),
    );
    if (isDone !== undefined)
      visit.until(`what ${line} does`, isDone).then(() => void child.kill('SIGINT'), reject);
  });
}

/** The command of each method, as far as lines beside other buttons have to be told from its own. */
const BEGINS: Readonly<Record<string, string>> = {
  TouchChannel: 'msg channels touch',
  DlqReplay: 'msg dlq replay',
  DlqDiscard: 'msg dlq discard',
  StartRecording: 'msg connections record',
  PromoteKey: 'msg keys promote',
  DlqJobStop: 'msg dlq stop',
};

/** Acts whose record does not name what was made. */
const OF_OTHER_THINGS: ReadonlySet<string> = new Set([...OWN_NAMES, 'RotateApiKey']);

/** Each is done twice: on `a` by the page, on `b` by the command line that the page shows for `a`. */
const ACTS = actsOf(() => service);

describe('the command that stands beside an action', () => {
  it.each(ACTS)(
    'does the same: $method, $button',
    async one => {
      const { method, make, files, goesOn } = one;
      const made = await make('a');
      const earlier = await newestOf(method);
      const lines = await act(one, made);
      const line = lines.find(text => text.startsWith(BEGINS[method] ?? 'msg ')) ?? '';
      await visit.until('the record', async () => {
        if (OF_OTHER_THINGS.has(method)) return (await newestOf(method)) !== earlier;
        const record = await recordOf(method, 'console', made);
        return `${record?.target} ${record?.detail}`.includes('<made>');
      });
      const other = await make('b');
      for (const [file, text] of Object.entries(files?.(other) ?? {}))
        writeFileSync(join(folder, file), text);
      const isDone = async (): Promise<boolean> => (await recordOf(method, 'cli', other)) !== undefined;
      const complaint = await runLine(line.replaceAll(made, other), goesOn === true ? isDone : undefined);
      if (method === 'Publish') {
        // A back end's publications are not in the audit: the channels have the same.
        expect(await lastOf(other), complaint).toEqual(await lastOf(made));
        return;
      }
      const [byPage, byCommand] = [
        await recordOf(method, 'console', made),
        await recordOf(method, 'cli', other),
      ];
      expect(byCommand, `${line}: ${complaint}`).toEqual(byPage);
      expect(byPage?.outcome).toBe('ok');
    },
    120_000,
  );
});
