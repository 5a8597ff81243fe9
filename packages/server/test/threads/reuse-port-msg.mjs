// `msg` whose connections reach its threads by `reusePort`, on every version of Node.js. For tests alone.
import './without-transfer.mjs';

await import('../../bin/msg.js');
