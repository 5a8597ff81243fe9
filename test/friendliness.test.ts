import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { APPS, countApp, countLines, tableOf, withTable } from '../bench/friendliness/apps.ts';

describe('the same app, counted', () => {
  const [msg, socketIo] = APPS.map(countApp);
  const readme = readFileSync('README.md', 'utf8');

  it('takes at most 27 lines of server, 20 of page and three commands on msg', () => {
    expect(msg?.server).toBeLessThanOrEqual(27);
    expect(msg?.page).toBeLessThanOrEqual(20);
    expect(msg?.commands).toBeLessThanOrEqual(3);
  });

  it('counts neither blank lines nor comments', () => {
    expect(countLines('a\n\n  // b\n<!-- c\nd -->\ne // f\n')).toBe(2);
  });

  it('the README has these figures', () => {
    expect(readme).toContain(`| lines of the server | ${msg?.server} | ${socketIo?.server} |\n`);
    expect(readme).toContain(
      `| lines of the page, without a build step | ${msg?.page} | ${socketIo?.page} |\n`,
    );
    expect(readme).toContain(
      `| commands until the first delivery | ${msg?.commands} | ${socketIo?.commands} |\n`,
    );
  });

  it('writes its table between the marks and nowhere else', () => {
    const rows = APPS.map(app => ({ ...app, ...countApp(app), packages: 1, browserBytes: 1234 }));
    const written = withTable(readme, tableOf(rows));
    expect(written).toContain('| script in the browser, gzip | 1.2 kB | 1.2 kB |\n');
    expect(withTable(written, tableOf(rows))).toBe(written);
    expect(() => withTable('# none\n', '')).toThrow('no place');
  });
});
