import type { IncomingMessage, Server, ServerResponse } from 'node:http';

/** What serves the pages to browsers. */
export interface Pages {
  answer(request: IncomingMessage, response: ServerResponse): void;
  stop(): Promise<void>;
}

/** Compiles pages when they are asked for; what you change shows in the browser at once. */
export async function livePages(server: Server): Promise<Pages> {
  const { createServer } = await import('vite');
  const vite = await createServer({
    configLoader: 'native',
    server: { middlewareMode: true, hmr: { server } },
  });
  return {
    answer: (request, response) => vite.middlewares(request, response),
    stop: () => vite.close(),
  };
}

/** Serves what `npm run build` wrote. */
export async function builtPages(): Promise<Pages> {
  const { default: sirv } = await import('sirv');
  const serve = sirv('dist', { single: true });
  return {
    answer: (request, response) => serve(request, response),
    stop: async () => {},
  };
}
