import { startApp } from './app.ts';
import { builtPages, livePages } from './pages.ts';

const { HOST = '127.0.0.1', PORT = '3000' } = process.env;
const isDevelopment = process.argv.includes('--dev');

try {
  const app = await startApp({
    host: HOST,
    port: Number(PORT),
    stateDir: '.msg',
    pages: isDevelopment ? livePages : builtPages,
  });
  console.log(`open ${app.url}`);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => app.stop());
} catch (error) {
  const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
  console.error(isTaken ? `port ${PORT} is taken: choose another one with PORT=${Number(PORT) + 1}` : error);
  process.exit(1);
}
