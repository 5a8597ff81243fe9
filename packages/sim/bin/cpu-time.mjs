// Loaded before a program: prints at its end how much time of the processor it took.
process.on('exit', () => {
  const { user, system } = process.cpuUsage();
  console.log(`cpu ${Math.round((user + system) / 1000)} ms`);
});
