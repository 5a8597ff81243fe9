// npm run check:words [-- --shrink]: the words of scripts/words.json stay out of names, comments and messages.
import { readdirSync } from 'node:fs';
import { runCheck } from './allowance.ts';
import { findWords } from './word-rules.ts';

const packages = readdirSync('packages').map(name => `packages/${name}`);
runCheck('old words', 'words', findWords('.', packages));
