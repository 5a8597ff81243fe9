import { beforeAll, describe, expect, test, vi } from 'vitest';
import { expectedOutcome } from './support/listener/case.ts';
import { CASES } from './support/listener/cases.ts';
import { CLIENTS } from './support/listener/clients.ts';
import { MEANINGS } from './support/listener/page.ts';
import { runCase } from './support/listener/run.ts';

// Cases wait, most of the time.
vi.setConfig({ maxConcurrency: 10 });

const longFirst = [...CASES.filter(each => each.isLong), ...CASES.filter(each => !each.isLong)];

describe('the life of a listener', { timeout: 300_000 }, () => {
  const present = CLIENTS.filter(client => client.missing() === undefined);

  beforeAll(async () => {
    await Promise.all(present.map(client => client.prepare()));
  }, 300_000);

  for (const client of CLIENTS) {
    const reason = client.missing();
    if (reason !== undefined) test.skip(`${client.name}: not run: ${reason}`, () => {});
  }

  test('the documentation explains every outcome', () => {
    const outcomes = new Set(CASES.flatMap(each => CLIENTS.map(({ name }) => expectedOutcome(each, name))));
    expect(new Set(MEANINGS.keys())).toEqual(outcomes);
  });

  test.concurrent.each(longFirst.map(each => [`${each.visibility}: ${each.title}`, each] as const))(
    '%s',
    async (_, each) => {
      const expected = new Map(present.map(({ name }) => [name, expectedOutcome(each, name)]));
      const fates = await runCase(each, present);
      const outcomes = new Map([...fates].map(([name, { outcome }]) => [name, outcome]));
      const evidence = [...fates].map(([name, { notes }]) => `${name} said:\n${notes}`).join('\n');
      expect(outcomes, evidence).toEqual(expected);
    },
  );
});
