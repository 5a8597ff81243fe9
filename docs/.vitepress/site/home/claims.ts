import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Figures } from '../../../../bench/src/figures.ts';

const ROOT = resolve(import.meta.dirname, '../../../..');
const FIGURES = resolve(ROOT, 'bench/figures.json');

/** A claim of the home page: its figure, what it says, against what, and the command that repeats it. */
interface Claim {
  readonly figure: string;
  /** What stands behind the figure: `of 10,000`. */
  readonly unit: string;
  readonly says: string;
  /** Markdown. */
  readonly baseline: string;
  readonly command: string;
  /** Path of the page that says how, below `docs`. */
  readonly method: string;
}

const count = (value: number): string => value.toLocaleString('en-US');

function measuredClaims({ storm, fanout, date, machine }: Figures): Claim[] {
  const where = `Measured on ${date}: ${machine}`;
  return [
    {
      figure: count(storm.missing),
      unit: `of ${count(storm.clients * storm.storms)}`,
      says: 'clients miss a publication when their node is killed',
      baseline:
        `${count(storm.clients)} clients in each of ${storm.storms} runs come back to another node and recover every number, ` +
        `while publishing goes on; the last after ${(storm.lastMs / 1000).toFixed(1)}\u00a0s. ${where}.`,
      command: 'npm run bench -- storm',
      method: '../bench/README.md#storm',
    },
    {
      figure: fanout.ratio.toFixed(2),
      unit: '×',
      says: 'the CPU of bare socket writes, per delivery',
      baseline:
        `${count(fanout.subscribers)} subscribers, 256 bytes of JSON. The baseline writes ready-made frames to plain sockets in the ` +
        `same run: ${fanout.lowest} to ${fanout.highest} over ${fanout.pairs} pairs. ${where}.`,
      command: 'npm run bench -- fanout',
      method: '../bench/README.md#fanout',
    },
  ];
}

/** The languages whose stock clients go through a session, from the page that `npm run conformance` writes and compares. */
export function languagesOf(conformance: string): string[] {
  const [, releases = ''] = conformance.split('\n## Releases of the clients\n');
  const rows = releases.split('\n## ')[0]?.matchAll(/^\| (\S+) \S+ [\d.]+ \|/gm) ?? [];
  return [...new Set([...rows].map(([, language = '']) => language))];
}

function languagesClaim(languages: readonly string[]): Claim {
  const list = `${languages.slice(0, -1).join(', ')} and ${languages.at(-1)}`;
  return {
    figure: count(languages.length),
    unit: 'languages',
    says: 'of stock Centrifuge clients, unmodified',
    baseline: `${list}. Public test suites and every release that the registries serve speak to the server.`,
    command: 'npm run conformance',
    method: 'conformance.md',
  };
}

/** The claims that hold for a version: what was measured with an older one is not among them. */
export function claimsFor(version: string, figures: Figures | undefined, conformance: string): Claim[] {
  const measured = figures?.version === version ? measuredClaims(figures) : [];
  const languages = languagesOf(conformance);
  return [...measured, ...(languages.length > 1 ? [languagesClaim(languages)] : [])];
}

const HEADINGS = [
  '',
  'A claim, with its test',
  'Two claims, each with its test',
  'Three claims, each with its test',
];

function claimMarkdown({ figure, unit, says, baseline, command, method }: Claim): string {
  return [
    '<div>',
    `<p class="figure"><strong>${figure}</strong> ${unit}</p>`,
    `### ${says}`,
    baseline,
    `\`${command}\` [method](${method})`,
    '</div>',
  ].join('\n\n');
}

/** The band with the claims, as Markdown of the home page; empty without a claim that holds. */
export function claimsBand(): string {
  const manifest = resolve(ROOT, 'packages/server/package.json');
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { readonly version: string }; // ours
  const figures = existsSync(FIGURES) ? (JSON.parse(readFileSync(FIGURES, 'utf8')) as Figures) : undefined; // ours
  const claims = claimsFor(version, figures, readFileSync(resolve(ROOT, 'docs/conformance.md'), 'utf8'));
  if (claims.length === 0) return '';
  const cells = claims.map(claimMarkdown).join('\n\n');
  return `<div class="band">\n\n## ${HEADINGS[claims.length]}\n\n<div class="claims">\n\n${cells}\n\n</div>\n</div>`;
}
