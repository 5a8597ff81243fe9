import { UsageError } from '@msg/command-line';
import { describe, expect, test } from 'vitest';
import { registryUrl } from '#src/source.ts';

describe('the address of a registry', () => {
  test.each([
    ['http://localhost:8000', 'http://localhost:8000/msg/schemas'],
    ['http://localhost:8000/', 'http://localhost:8000/msg/schemas'],
    ['https://example.org/behind/msg/schemas', 'https://example.org/behind/msg/schemas'],
  ])('%s → %s', (given, url) => {
    expect(registryUrl(given).href).toBe(url);
  });

  test.each(['http://operator:s3cret@localhost:8000', 'http://:s3cret@localhost:8000'])(
    'a password is refused and not repeated: %s',
    given => {
      const refusal = (() => {
        try {
          return registryUrl(given).href;
        } catch (error) {
          return error;
        }
      })();
      expect(refusal).toBeInstanceOf(UsageError);
      expect(String(refusal)).not.toContain('s3cret');
    },
  );
});
