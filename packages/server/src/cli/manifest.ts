import { type MsgCommand, rpcCommand } from './command.ts';

const manifest = rpcCommand({
  name: 'manifest',
  summary: 'what a running server is and offers; no bearer is needed',
  detail: '`msg --json` prints the manifest of a fresh instance without asking a server.',
  method: 'Manifest',
  examples: [
    { line: 'manifest --server https://msg.example.com', help: 'version, sinks, limits, transports' },
  ],
  async action(call) {
    const { payload } = await call({});
    return { kind: 'msg.manifest', payload };
  },
});

/** `manifest`. */
export const manifestCommands: readonly MsgCommand[] = [manifest];
