import { type MsgCommand, rpcCommand } from './command.ts';

const whoAmI = rpcCommand({
  name: 'whoami',
  summary: 'what the server knows about your bearer: subject, role, scopes, end',
  detail:
    '`source` tells what vouches for it: `key` a signing key of the service, `api_key`, `oidc` the identity provider, ' +
    '`none` a server without a bearer check. `expires_unix` 0: it does not end.',
  method: 'WhoAmI',
  examples: [{ line: 'whoami', help: 'is this the token I think it is?' }],
  async action(call) {
    return { kind: 'msg.whoami', payload: await call({}) };
  },
});

/** `whoami`. */
export const whoAmICommands: readonly MsgCommand[] = [whoAmI];
