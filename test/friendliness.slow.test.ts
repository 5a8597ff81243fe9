import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { APPS } from '../bench/friendliness/apps.ts';
import { drive, packInto } from '../bench/friendliness/drive.ts';

/** What the README says of an app; packages and scripts of others change without us. */
function readmeFigure(row: string, name: string): number {
  const cells = new RegExp(`^\\| ${row} \\| (\\S+).*? \\| (\\S+)`, 'm').exec(
    readFileSync('README.md', 'utf8'),
  );
  return Number(cells?.[name === 'msg' ? 1 : 2]);
}
const TOLERATED = 0.05;

describe('the order-status app, installed into an empty folder', () => {
  let folder: string;
  let tarballs: ReadonlyMap<string, string>;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'msg-tarballs-'));
    tarballs = packInto(folder);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.concurrent.each(APPS)(
    'on $name: its commands lead to a delivery in Chromium, and a stranger sees none',
    {
      timeout: 240_000,
    },
    async app => {
      const { packages, browserBytes } = await drive(app, tarballs);
      expect(packages).toBeGreaterThan(10);
      expect(browserBytes).toBeGreaterThan(10_000);
      for (const [row, measured] of [
        ['packages installed', packages],
        ['script in the browser, gzip', browserBytes / 1000],
      ] as const) {
        const figure = readmeFigure(row, app.name);
        expect(Math.abs(figure - measured) / measured, `${row}: ${measured}`).toBeLessThanOrEqual(TOLERATED);
      }
      if (app.name === 'msg') expect(browserBytes).toBeLessThanOrEqual(31_000);
    },
  );
});
