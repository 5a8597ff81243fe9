import { readFileSync } from 'node:fs';
import { type Command, type Init, jsonCodec, type Payload, protobufCodec } from '@msg/protocol';
import { describe, expect, it } from 'vitest';
import type { CommandEnvelope } from '#src/messages/command.ts';
import { all, text, utf8 } from '../support/bytes.ts';

interface Recording {
  readonly received: readonly string[];
  readonly sent: readonly string[];
  readonly events: readonly string[];
}

const load = (name: string): Recording =>
  JSON.parse(readFileSync(new URL(`./frames/${name}.json`, import.meta.url), 'utf8'));

/** What the recording script made the client do, whatever the encoding. */
const CALLS = [
  'connect 1 token=first-token name=golden version=1.2.3 headers=x-one:1',
  'subscribe 2 golden:news token=sub-token recover=true abc:3 delta=fossil flag=1',
  'subscribe 3 golden:tags token= recover=false :0 delta= flag=1 filter=and(symbol in A,B; px gt 10.5)',
  'subscribe 4 golden:denied token= recover=false :0 delta= flag=1',
  'none 0',
  'publish 5 golden:news',
  'history 6 golden:news limit=10 since=abc:7 reverse=true',
  'presence 7 golden:news',
  'presence_stats 8 golden:news',
  'rpc 9 sum [1,2]',
  'rpc 10 fail null',
  'send 0 {"fire":"forget"}',
  'refresh 11 second-token',
  'sub_refresh 12 golden:news sub-token-2',
  'unsubscribe 13 golden:tags',
];

function summary(command: Command): string {
  const { id, kind } = command;
  const head = `${kind} ${id}`;
  switch (command.kind) {
    case 'connect': {
      const { token, name, version, headers } = command.request;
      return `${head} token=${token} name=${name} version=${version} headers=${[...headers].map(pair => pair.join(':'))}`;
    }
    case 'subscribe': {
      const { channel, token, recover, epoch, offset, delta, flag, tf } = command.request;
      const nodes = tf?.nodes.map(node => `${node.key} ${node.cmp} ${node.val}${node.vals}`).join('; ');
      return `${head} ${channel} token=${token} recover=${recover} ${epoch}:${offset} delta=${delta} flag=${flag}${tf === null ? '' : ` filter=${tf.op}(${nodes})`}`;
    }
    case 'history': {
      const { channel, limit, since, reverse } = command.request;
      return `${head} ${channel} limit=${limit} since=${since?.epoch}:${since?.offset} reverse=${reverse}`;
    }
    case 'rpc':
      return `${head} ${command.request.method} ${text(command.request.data!)}`;
    case 'send':
      return `${head} ${text(command.request.data!)}`;
    case 'refresh':
      return `${head} ${command.request.token}`;
    case 'sub_refresh':
      return `${head} ${command.request.channel} ${command.request.token}`;
    case 'none':
    case 'ping':
      return head;
    default:
      return `${head} ${command.request.channel}`;
  }
}

const MEMBER: Partial<Record<Command['kind'], keyof CommandEnvelope>> = {
  presence_stats: 'presenceStats',
  sub_refresh: 'subRefresh',
};

function envelope(command: Command): Init<CommandEnvelope> {
  if (command.kind === 'none') return {};
  return { id: command.id, [MEMBER[command.kind] ?? command.kind]: command.request };
}

describe.each(['centrifuge-5.7.4', 'centrifuge-5.8.0'])('frames of %s', version => {
  describe.each([jsonCodec, protobufCodec])('$encoding', codec => {
    const recording = load(`${version}-${codec.encoding}`);
    const isJson = codec.encoding === 'json';
    const bytes = (frame: string) => (isJson ? utf8(frame) : new Uint8Array(Buffer.from(frame, 'base64')));

    it('say what the client was told to do', () => {
      const said = recording.received.flatMap(frame => all(codec.commands(bytes(frame))).map(summary));
      expect(said).toEqual(CALLS);
    });

    it('carry the payloads as the client wrote them', () => {
      const payloads = recording.received
        .flatMap(frame => all(codec.commands(bytes(frame))).map(payloadText))
        .filter(json => json !== '');
      expect(payloads).toEqual(
        isJson
          ? [
              '{"hello":"wörld","big":12345678901234567000}',
              '{"a":1}',
              '{"text":"a \\"quoted\\" é text","n":[1,2.5,-30000000000]}',
              '[1,2]',
              'null',
              '{"fire":"forget"}',
            ]
          : [
              '{"hello":"wörld","big":12345678901234567890}',
              '{"a":1}',
              '{"text":"a \\"quoted\\" \\u00e9 text","n":[1,2.5,-3e10]}',
              '[1,2]',
              'null',
              '{"fire":"forget"}',
            ],
      );
    });

    it('are what we would write', () => {
      for (const frame of recording.received) {
        const written = codec.join(
          all(codec.commands(bytes(frame))).map(command => codec.encodeCommand(envelope(command))),
        );
        // The client's JSON has another order of members; its Protobuf has ours.
        if (isJson) expect(lines(text(written))).toEqual(lines(frame));
        else expect(Buffer.from(written).toString('base64')).toBe(frame);
      }
    });

    it('replies we sent read and write the same', () => {
      for (const frame of recording.sent) {
        const written = codec.join(all(codec.replies(bytes(frame))).map(reply => codec.encodeReply(reply)));
        expect(isJson ? text(written) : Buffer.from(written).toString('base64')).toBe(frame);
      }
    });

    it('were understood by the client', () => {
      for (const event of [
        'connected {"hello":"client"}',
        'server-side subscribed "server:side"',
        'subscribed true',
        'denied {"code":103,"reason":"permission denied"}',
        'publication {"n":1,"note":"steady payload that repeats, ünïcode"}',
        'publication {"n":2,"note":"steady payload that repeats, ünïcode"}',
        'tagged publication "text"',
        'join {"user":"42","client":"peer"}',
        'leave {"user":"42","client":"peer"}',
        'message {"m":1}',
        'server-side subscribed "added"',
        'server-side unsubscribed "added"',
        'presence ["peer"]',
        'presence stats {"numUsers":1,"numClients":2}',
        'rpc [1,2]',
        'rpc error {"code":400,"message":"no"}',
      ]) {
        expect(recording.events).toContain(event);
      }
    });
  });
});

function payloadText(command: Command): string {
  if (command.request === null || !('data' in command.request) || command.request.data === null) return '';
  const data: Uint8Array | Payload = command.request.data;
  return text(data instanceof Uint8Array ? data : data.bytes);
}

function lines(frame: string): unknown[] {
  return frame.split('\n').map(line => JSON.parse(line));
}
