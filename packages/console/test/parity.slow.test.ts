import { execFile } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cleanEnv, MSG_BIN } from '@msg/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eachDialog, type Furnished, furnished, SCHEMA } from './dialogs.ts';
import { LOOKS, Visit } from './visit.ts';

let furnishedWith: Furnished;
let visit: Visit;
/** The command lines of the pages and of every dialog. */
const lines = new Set<string>();
/** What was seen of the pages and dialogs: each is looked at in both themes and widths. */
const faults: string[] = [];
let dialogs = 0;

beforeAll(async () => {
  furnishedWith = await furnished();
  const { server } = furnishedWith.service;
  visit = await Visit.start(server.url);
  await visit.signIn(server.token);
  for (const path of furnishedWith.pages) {
    await eachDialog(visit, path, async within => {
      for (const line of await visit.page.locator(`${within} .cmd code`).allInnerTexts()) lines.add(line);
      // Pages are looked at by the suites of pages.
      if (within === '#content') return;
      dialogs++;
      for (const look of LOOKS.slice(0, 2)) {
        await visit.resize(look);
        const found = await visit.axeFaults();
        if ((await visit.sideways()) > 0) found.push('wider than the window');
        const title = await visit.page.locator('dialog[open] h2').first().innerText();
        faults.push(...found.map(fault => `${path}, ${title}, ${JSON.stringify(look)}: ${fault}`));
      }
      await visit.resize();
    });
  }
}, 600_000);
afterAll(async () => {
  await visit.stop();
  await furnishedWith.service.stop();
});

/** What the real program says to a line, where there is no server. */
function answerTo(line: string, folder: string, token: string): Promise<string> {
  // These go on: what they take is in their help.
  const whole = /^msg (?:subscribe|serve)\b/.test(line) ? `${line} --help` : line;
  const program = `'${process.execPath}' '${MSG_BIN}'${whole.replace(/^msg/, '')}`;
  const env = cleanEnv({ MSG_SERVER: 'http://127.0.0.1:9', MSG_TOKEN: token, HOME: folder });
  return new Promise(resolve => {
    const child = execFile('sh', ['-c', program], { cwd: folder, env }, (error, _stdout, stderr) => {
      const isNoAnswer = stderr.includes('MSG_BROKER_NOT_READY');
      resolve(error === null || isNoAnswer ? 'accepted' : stderr);
    });
    child.stdin?.end(token);
  });
}

it('every command that a page or a dialog shows is accepted by the program', async () => {
  const { pages, token } = furnishedWith;
  const folder = mkdtempSync(join(tmpdir(), 'msg-console-'));
  writeFileSync(join(folder, 'schema.json'), JSON.stringify(SCHEMA));
  writeFileSync(join(folder, 'order.json'), JSON.stringify(SCHEMA));
  writeFileSync(join(folder, 'payload.bin'), '1');
  const refused: string[] = [];
  for (const line of lines) {
    expect(line).toMatch(/^msg /);
    const answer = await answerTo(line, folder, token);
    if (answer !== 'accepted') refused.push(`${line}: ${answer.split('\n')[0]}`);
  }
  console.log(`console: ${lines.size} commands of ${pages.length} pages`);
  expect(lines.size).toBeGreaterThan(40);
  expect(refused).toEqual([]);
}, 300_000);

it('every dialog is accessible in both themes, wide and narrow', () => {
  console.log(`console: ${dialogs} dialogs`);
  expect(dialogs).toBeGreaterThan(30);
  expect(faults).toEqual([]);
});
