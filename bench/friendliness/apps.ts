import { readFileSync } from 'node:fs';

/** The order-status app built with one library: server, page, and what a reader types. */
export interface App {
  readonly name: string;
  /** Below this one. */
  readonly folder: string;
  /** What the page loads of the library. */
  readonly script: string;
  /** From the folder as it is to the first delivery: install, start, and what the shop does. */
  readonly commands: readonly [install: string, start: string, deliver: string];
}

const COMMANDS = [
  'npm install',
  'node server.mjs',
  'curl -fsS -X POST http://localhost:3000/orders/7/paid',
] as const;

export const APPS: readonly App[] = [
  { name: 'msg', folder: 'msg', script: '/msg.js', commands: COMMANDS },
  { name: 'Socket.IO', folder: 'socket.io', script: '/socket.io/socket.io.min.js', commands: COMMANDS },
];

/** Lines of a program or a page that are neither blank nor a comment. */
export function countLines(text: string): number {
  const withoutComments = text.replaceAll(/<!--[\s\S]*?-->/g, '');
  return withoutComments.split('\n').filter(line => !/^\s*(?:\/\/.*)?$/.test(line)).length;
}

/** What is counted of an app's own files. */
export interface Counts {
  readonly server: number;
  readonly page: number;
  readonly commands: number;
}

export function countApp({ folder, commands }: App): Counts {
  const linesOf = (file: string): number =>
    countLines(readFileSync(new URL(`${folder}/${file}`, import.meta.url), 'utf8'));
  return { server: linesOf('server.mjs'), page: linesOf('page.html'), commands: commands.length };
}

/** What was found when an app was installed and run. */
export interface Measured {
  readonly packages: number;
  /** Bytes of the page's script in gzip. */
  readonly browserBytes: number;
}

/** One column of the table. */
type Column = Pick<App, 'name'> & Counts & Measured;

/** Where the table begins and ends in the README. */
const BEGIN = '<!-- npm run bench -- friendliness --write -->\n';
const END = '<!-- end -->';

/** The table of the README. */
export function tableOf(rows: readonly Column[]): string {
  const line = (title: string, cell: (row: Column) => string | number): string =>
    `| ${[title, ...rows.map(cell)].join(' | ')} |\n`;
  return [
    line('Order status, the same app', ({ name }) => name),
    line('---', () => '---'),
    line('lines of the server', ({ server }) => server),
    line('lines of the page, without a build step', ({ page }) => page),
    line('commands until the first delivery', ({ commands }) => commands),
    line('packages installed', ({ packages }) => packages),
    line('script in the browser, gzip', ({ browserBytes }) => `${(browserBytes / 1000).toFixed(1)} kB`),
  ].join('');
}

/** The README with another table. @throws Error when it has no place for one. */
export function withTable(readme: string, table: string): string {
  const [begin, end] = [readme.indexOf(BEGIN), readme.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error('README.md has no place for the table');
  return `${readme.slice(0, begin + BEGIN.length)}\n${table}\n${readme.slice(end)}`;
}
