import { runLong } from './long/long.ts';

process.exitCode = await runLong(process.argv.slice(2), line => console.log(line));
