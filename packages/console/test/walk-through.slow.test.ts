import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PICTURE_NAMES } from './documentation-pictures.ts';
import { Service } from './service.ts';
import { Visit } from './visit.ts';
import { documentedWays, seedListeners, walk } from './walk-through.ts';

const MOST_CLICKS = 5;

let service: Service;
let visit: Visit;
beforeAll(async () => {
  service = await Service.start();
  await seedListeners(service);
  visit = await Visit.start(service.server.url);
  await visit.signIn(service.server.token);
});
afterAll(async () => {
  await visit.stop();
  await service.stop();
});

describe('why a listener gets nothing', () => {
  it('has three causes in the documentation', () => {
    expect(documentedWays().map(({ cause }) => cause)).toEqual([
      'The channel is closed',
      'The token has no grant',
      'It listens to another name',
    ]);
  });

  it.each(documentedWays())('$cause: the page says so, after the clicks of the documentation', async way => {
    expect(await walk(visit, way)).toBeLessThanOrEqual(MOST_CLICKS);
    expect(way.says.length).toBeGreaterThan(0);
    for (const text of way.says.slice(0, 2)) await visit.sees(text);
  });
});

describe('the pictures of the documentation', () => {
  const folder = join(import.meta.dirname, '../../../docs');
  const page = readFileSync(join(folder, 'console.md'), 'utf8');

  it('are those that npm run console:shots makes, of at most 150 kB each', () => {
    const named = Array.from(page.matchAll(/src(?:set)?="\/pictures\/([\w-]+)\.png"/g), ([, name]) => name);
    expect(named.toSorted()).toEqual(PICTURE_NAMES.toSorted());
    for (const name of PICTURE_NAMES)
      expect(statSync(join(folder, `public/pictures/${name}.png`)).size).toBeLessThanOrEqual(150_000);
  });
});
