import { jsonCodec, protobufCodec } from '@msg/protocol';
import { describe, expect, it } from 'vitest';
import { all, decodeFault, hex, text, utf8 } from './support/bytes.ts';

describe('emulation requests (client protocol 4.4)', () => {
  const frame = jsonCodec.join([
    jsonCodec.encodeCommand({ id: 2, subscribe: { channel: 'é"' } }),
    jsonCodec.pong,
  ]);

  it('JSON: a string of commands', () => {
    const body = jsonCodec.encodeEmulation('node', 'session', frame);
    expect(JSON.parse(text(body))).toEqual({ node: 'node', session: 'session', data: text(frame) });
    const request = jsonCodec.decodeEmulation(body);
    expect(request).toMatchObject({ node: 'node', session: 'session' });
    expect(all(jsonCodec.commands(jsonCodec.emulationFrame(request.data)))).toEqual(
      all(jsonCodec.commands(frame)),
    );
  });

  it('Protobuf: bytes', () => {
    const binary = protobufCodec.encodeCommand({ id: 2, ping: {} });
    const request = protobufCodec.decodeEmulation(protobufCodec.encodeEmulation('n', 's', binary));
    expect(protobufCodec.emulationFrame(request.data)).toEqual(binary);
  });

  it('the body of one encoding for a session of the other', () => {
    const request = protobufCodec.decodeEmulation(protobufCodec.encodeEmulation('n', 's', utf8('"{}"')));
    expect(text(jsonCodec.emulationFrame(request.data))).toBe('{}');
  });

  it('line breaks between the members are fine', () => {
    expect(jsonCodec.decodeEmulation(utf8('{\r\n "session":"s",\n"data":"{}"}\n')).session).toBe('s');
  });

  it.each(['', 'null', '[]', '{"session":1}', '{"data":', '\ufeff{}'])('%j is refused', body => {
    expect(decodeFault(() => jsonCodec.decodeEmulation(utf8(body)))).not.toBe('none');
  });
  it.each(['{}', '', '"a', '"a" ', 'x'])('data %j is not a string of commands', data => {
    expect(decodeFault(() => jsonCodec.emulationFrame(utf8(data)))).not.toBe('none');
  });
  it('absent data is an empty frame for Protobuf and refused for JSON', () => {
    expect(protobufCodec.emulationFrame(null)).toHaveLength(0);
    expect(decodeFault(() => jsonCodec.emulationFrame(null))).toBe('type_mismatch');
    expect(decodeFault(() => protobufCodec.decodeEmulation(hex('')))).toBe('empty');
  });
});
