// npm run bench -- friendliness [--write]: the order-status app on msg and on Socket.IO, counted and used in Chromium;
// with --write the table of README.md is made of it.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { APPS, countApp, tableOf, withTable } from './apps.ts';
import { drive, packInto } from './drive.ts';

const README = new URL('../../README.md', import.meta.url);

export async function run(args: readonly string[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'msg-tarballs-'));
  try {
    const tarballs = packInto(folder);
    const rows = [];
    for (const app of APPS) rows.push({ ...app, ...countApp(app), ...(await drive(app, tarballs)) });
    const table = tableOf(rows);
    console.log(table);
    if (args.includes('--write')) writeFileSync(README, withTable(readFileSync(README, 'utf8'), table));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
