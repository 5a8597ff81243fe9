// The process of a worker, started with `--import` of the platform: plays one seed for each line that it reads, answers with
// one line, and ends with its input, and so with the process that gives it seeds.
import { playing, playSeed } from '../played.ts';
import { finishedOf, type Task } from './finished.ts';
import { nextLine, writeLine } from './lines.ts';

await playing(async () => {
  let spent = process.cpuUsage();
  for (let line = nextLine(); line !== undefined; line = nextLine()) {
    const task = JSON.parse(line) as Task; // of worker.ts
    const run = await playSeed({ world: task.world }, task.seed);
    const { user, system } = process.cpuUsage(spent);
    spent = process.cpuUsage();
    const cost = { coreMs: (user + system) / 1000, rssMiB: Math.round(process.memoryUsage.rss() / 2 ** 20) };
    writeLine(JSON.stringify(finishedOf(task.world, run, cost)));
  }
});
