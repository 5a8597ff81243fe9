import { type Answer, MapAnswer, OK, type Protocol } from '../answer.ts';
import type { Client } from '../client.ts';
import type { CommandContext, CommandRow } from '../command.ts';
import { fail } from '../command-error.ts';
import type { CommandFlag } from '../command-traits.ts';
import { asC, readInteger } from '../numbers.ts';
import { type Bytes, Status } from '../reply.ts';
import type { RedisState } from '../state.ts';
import { count, isWord } from './arguments.ts';
import { nameClient } from './clients.ts';

const FREE: readonly CommandFlag[] = ['noScript', 'always', 'noAuth'];
const WRONG_PASSWORD = 'WRONGPASS invalid username-password pair or user is disabled.';
const INT_MAX = 2_147_483_647;
export const VERSION = '7.0.15';

export function modeOf({ cluster }: RedisState): 'cluster' | 'standalone' {
  return cluster === undefined ? 'standalone' : 'cluster';
}

export const CONNECTION_COMMANDS: readonly CommandRow[] = [
  { name: 'hello', arity: -1, flags: FREE, run: hello },
  { name: 'auth', arity: -2, flags: FREE, run: auth },
  { name: 'select', arity: 2, flags: ['always'], run: select },
  { name: 'ping', arity: -1, flags: ['subscribed', 'always'], run: ping },
];

function hello(args: readonly Bytes[], { client, state }: CommandContext): Answer {
  const [, version, ...words] = args;
  const protocol = version === undefined ? client.protocol : protocolOf(version);
  for (let at = 0; at < words.length; at++) {
    const [first, second] = words.slice(at + 1, at + 3);
    if (isWord(words[at], 'AUTH') && first !== undefined && second !== undefined) {
      logIn(first, second, client, state);
      at += 2;
    } else if (isWord(words[at], 'SETNAME') && first !== undefined) {
      nameClient(client, first);
      at++;
    } else fail(`ERR Syntax error in HELLO option '${asC(words[at] ?? '')}'`);
  }
  if (!client.isLoggedIn)
    fail(
      'NOAUTH HELLO must be called with the client already authenticated, otherwise the HELLO <proto> AUTH <user> <pass> option can be used to authenticate the client and select the RESP protocol version at the same time',
    );
  client.protocol = protocol;
  const role = state.master === undefined ? 'master' : 'replica';
  const mode = ['mode', modeOf(state), 'role', role, 'modules', []];
  return new MapAnswer(['server', 'redis', 'version', VERSION, 'proto', protocol, 'id', client.id, ...mode]);
}

function protocolOf(text: Bytes): Protocol {
  const version = readInteger(text);
  if (version === undefined) return fail('ERR Protocol version is not an integer or out of range');
  if (version !== 2n && version !== 3n) return fail('NOPROTO unsupported protocol version');
  return version === 2n ? 2 : 3;
}

function auth(args: readonly Bytes[], { client, state }: CommandContext): Answer {
  if (args.length > 3) fail('ERR syntax error');
  const [, first = '', second] = args;
  const { login } = state.options;
  if (second === undefined && login === undefined)
    fail(
      'ERR AUTH <password> called without any password configured for the default user. Are you sure your configuration is correct?',
    );
  if (second === undefined) logIn('default', first, client, state);
  else logIn(first, second, client, state);
  return OK;
}

/** Without a login of its own the server takes any password of the user `default`. @throws CommandError */
function logIn(user: Bytes, password: Bytes, client: Client, { options }: RedisState): void {
  const { login } = options;
  const isRight =
    login === undefined ? user === 'default' : user === login.user && password === login.password;
  if (!isRight) fail(WRONG_PASSWORD);
  client.isLoggedIn = true;
}

function select([, text = '']: readonly Bytes[], { client, state }: CommandContext): Answer {
  const index = count(text);
  if (index > INT_MAX || index < -INT_MAX - 1)
    fail('ERR value is out of range, value must between -2147483648 and 2147483647');
  if (state.cluster !== undefined && index !== 0) fail('ERR SELECT is not allowed in cluster mode');
  if (state.database(index) === undefined) fail('ERR DB index is out of range');
  client.database = index;
  return OK;
}

function ping([, ...texts]: readonly Bytes[], { client }: CommandContext): Answer {
  if (texts.length > 1) fail("ERR wrong number of arguments for 'ping' command");
  const [text] = texts;
  if (client.hasSubscriptions && client.protocol === 2) return ['pong', text ?? ''];
  return text ?? new Status('PONG');
}
