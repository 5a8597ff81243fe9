// `msg` from its built output, as an installed package runs it: the launcher of a checkout would run the sources.
import { main } from '../../../packages/server/dist/cli/main.js';

await main(process.argv);
