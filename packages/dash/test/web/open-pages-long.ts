// npm run dash:pages [-- <commits> <clients> <pages>]: 200 open pages, five of them in Chromium, and a commit each second
// for a minute. Every page must show the last revision, and the memory of the server return to where it was.
import { watchCommits } from './open-pages.ts';

const SLACK_BYTES = 12 * 2 ** 20;
const [commits = 60, clients = 195, pages = 5] = process.argv.slice(2).map(Number);
const { behind, before, after, answers } = await watchCommits({ commits, clients, pages });
const megabytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MiB`;
console.log(`${clients + pages} pages, ${commits} commits, ${answers} answers read: ${behind} pages behind`);
console.log(`live objects of the server: ${megabytes(before)} before, ${megabytes(after)} after`);
if (behind > 0 || after > before + SLACK_BYTES) process.exitCode = 1;
