import { compareWithRedis } from './redis.ts';

process.exitCode = await compareWithRedis(process.argv.slice(2), line => console.log(line));
