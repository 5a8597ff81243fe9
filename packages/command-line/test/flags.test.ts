import { describe, expect, it } from 'vitest';
import { defaultFlag, setting, switchFlag, textFlag, valueFlag } from '#src/settings/flags.ts';
import { resolveFrom, type Setting } from '#src/settings/setting.ts';
import { count } from '#src/settings/setting-types.ts';

/** The value of a setting from flags and variables. */
function resolved<T>(row: Setting<T>, flags: Record<string, string[]>, env: Record<string, string> = {}) {
  return resolveFrom(row, { flag: name => flags[name], env });
}

describe('a row of one flag', () => {
  it('with a text may be absent', () => {
    const row = textFlag('--at', 'revision', 'an older version');
    expect(row).toMatchObject({ key: 'at', flag: '--at', placeholder: 'revision' });
    expect(resolved(row, {})).toEqual({ value: undefined, layer: 'default' });
    expect(resolved(row, { '--at': [''] })).toEqual({ value: '', layer: 'flag' });
  });

  it('with a default has it', () => {
    const row = defaultFlag('--host', 'address', 'localhost', 'where to listen', {
      env: 'HOST',
      short: '-h',
    });
    expect(row).toMatchObject({ short: '-h', help: 'where to listen' });
    expect(resolved(row, {})).toEqual({ value: 'localhost', layer: 'default' });
    expect(resolved(row, {}, { HOST: 'a' })).toEqual({ value: 'a', layer: 'env' });
  });

  it('without a value is off until it is given', () => {
    const row = switchFlag('--json', 'print JSON');
    expect(resolved(row, {}).value).toBe(false);
    expect(resolved(row, { '--json': ['true'] }).value).toBe(true);
  });

  it('has any type', () => {
    const row = valueFlag('--limit', count, 50, 'how many at most');
    expect(resolved(row, { '--limit': ['7'] }).value).toBe(7);
    expect(() => resolved(row, { '--limit': ['x'] })).toThrow('--limit must be a whole number');
  });
});

describe('a row of a configuration file', () => {
  it('has a flag and a variable only where they are named', () => {
    expect(setting('redis.db', count, 0, 'database')).toEqual({
      key: 'redis.db',
      type: count,
      fallback: 0,
      help: 'database',
    });
    expect(resolved(setting('redis.db', count, 0, 'database', { env: 'DB' }), {}, { DB: '3' }).value).toBe(3);
  });
});
