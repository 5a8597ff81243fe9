// node --conditions=msg-source memory-of-answers.ts <JSON>: MiB by which a process grows while a database answers.
import type { ConnectionRow } from './asked.ts';
import { askOne, sourcesOf } from './asked.ts';

interface Asked {
  readonly allow: string;
  readonly connection: ConnectionRow;
  readonly environment: Record<string, string>;
  /** Statements that are asked first, then those whose growth counts. */
  readonly usual: readonly string[];
  readonly hostile: readonly string[];
}

const { allow, connection, environment, usual, hostile } = JSON.parse(process.argv[2] ?? '') as Asked;
const sources = sourcesOf({ allow: [allow], environment });
const askAll = (texts: readonly string[]) =>
  Promise.all(texts.map(text => askOne(sources, connection, { text }, { environment })));
const MIB = 1024 * 1024;

await askAll(usual);
const before = process.memoryUsage.rss();
let most = before;
setInterval(() => {
  most = Math.max(most, process.memoryUsage.rss());
}, 5).unref();
const answers = [...(await askAll(hostile)), ...(await askAll(hostile))];
await sources.close();
const codes = answers.map(answer => (answer.state === 'error' ? answer.error.code : answer.state));
console.log(JSON.stringify({ codes, grownMib: (most - before) / MIB }));
