// Loaded into a server (`--import`, `--expose-gc`): collects garbage on SIGUSR2, so that its memory is what it holds.
const { gc } = globalThis as { gc?: () => void };
process.on('SIGUSR2', () => {
  for (let pass = 0; pass < 4; pass++) gc?.();
});
