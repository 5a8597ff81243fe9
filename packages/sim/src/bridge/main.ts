import { runBridge } from './command.ts';

process.exitCode = await runBridge(process.argv.slice(2), line => console.log(line));
