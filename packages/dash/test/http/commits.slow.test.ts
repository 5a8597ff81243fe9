import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { canonicalText } from '#src/document/canonical.ts';
import { teamPulse } from '../changeset/team-pulse.ts';
import { PATIENT_MS } from '../store/stores.ts';
import { type CommitWay, commitSuite, retitle } from './commit-suite.ts';
import { askJson, post, Serving } from './serving.ts';

/** The answers must be those of the second specification each way (page and review 12, D17). */
const WAYS: readonly CommitWay[] = [
  {
    name: 'with every new flag set',
    words: [
      '--allow-query',
      'http://127.0.0.1:9',
      '--user-header',
      'x-user',
      '--trust-proxy',
      '127.0.0.1/32',
    ],
    further: {},
  },
  {
    name: 'with every new argument given',
    words: [],
    further: { message: 'A subject of its own', inverse: true, create: false },
  },
];

commitSuite({ name: 'plain', words: [], further: {} });

describe.each(WAYS)('$name', way => commitSuite(way));

describe('a server that is killed while it commits', () => {
  it(
    'P8: leaves the old bytes or the new ones, and no stray document',
    async () => {
      const root = await mkdtemp(join(tmpdir(), 'dash-http-'));
      const path = join(root, 'team-pulse.json');
      await writeFile(path, canonicalText(teamPulse()));
      const serving = await Serving.start(['--root', root]);
      let taken = 0;
      const writers = Array.from({ length: 4 }, async (_, writer) => {
        for (let n = 0; ; n++) {
          const ops = retitle(`${writer}-${n} ${'long '.repeat(4000)}`);
          const { status } = await post(`${serving.url}/api/patch`, { id: 'team-pulse', ops });
          expect(status).toBe(200);
          taken++;
          if (taken === 8) void serving.stop('SIGKILL');
        }
      });
      const ends = await Promise.allSettled(writers);
      expect(ends.every(({ status }) => status === 'rejected')).toBe(true);
      expect(taken).toBeGreaterThanOrEqual(8);
      const document = JSON.parse(await readFile(path, 'utf8')) as { manifest: { title: string } };
      expect(document.manifest.title).toMatch(/^\d-\d+ (?:long ){4000}$/);
      const again = await Serving.start(['--root', root]);
      expect((await askJson(`${again.url}/api/dashboards`)).body.dashboards).toHaveLength(1);
      expect((await post(`${again.url}/api/patch`, { id: 'team-pulse', ops: retitle('Whole') })).status).toBe(
        200,
      );
      await again.stop();
      expect((await readdir(root)).filter(name => name.endsWith('.json'))).toEqual(['team-pulse.json']);
      await rm(root, { recursive: true, force: true });
    },
    PATIENT_MS,
  );
});
