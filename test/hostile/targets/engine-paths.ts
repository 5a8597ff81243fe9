/** Where the embedding program mounts the engine's endpoints. */
export const ENGINE_PATHS = {
  websocket: '/realtime/websocket',
  httpStream: '/realtime/http_stream',
  sse: '/realtime/sse',
  emulation: '/realtime/emulation',
} as const;
