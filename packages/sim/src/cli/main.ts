import { runCommand } from './commands.ts';

process.exitCode = runCommand(process.argv.slice(2), line => console.log(line));
