// Loaded into a server (`--import`, `--expose-gc`): collects garbage on SIGUSR2, so that its memory is what it holds, and tells
// what its objects and their buffers hold.
const { gc } = globalThis as { gc?: () => void };
process.on('SIGUSR2', () => {
  for (let pass = 0; pass < 4; pass++) gc?.();
  const { heapUsed, external } = process.memoryUsage();
  process.stderr.write(`{"answer":${heapUsed + external}}\n`);
});
