// The process of one plan: everything in it but the nodes and the servers. Its argument is the plan, what it prints the result.
import { writeSync } from 'node:fs';
import type { BridgePlan } from './plans.ts';
import { playForReal } from './run.ts';

const escaped: string[] = [];
const note = (error: unknown): void => {
  escaped.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
};
process.on('uncaughtException', note);
process.on('unhandledRejection', note);

const plan = JSON.parse(process.argv[2] ?? '') as BridgePlan; // of play.ts
try {
  const line = `${JSON.stringify(await playForReal(plan, escaped))}\n`;
  process.stdout.write(line, () => process.exit(0)); // stock clients go on connecting
} catch (error) {
  note(error);
  writeSync(2, escaped.join('\n'));
  process.exit(1);
}
