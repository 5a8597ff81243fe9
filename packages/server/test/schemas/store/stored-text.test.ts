import { systemRandom } from '@msg/foundation/clock';
import { expect, test } from 'vitest';
import { RedisSchemaStore } from '#src/schemas/store/redis/store.ts';

test.each(['secret-of-a-schema', '["secret-of-a-schema"]', '[]', '{}'])(
  'a stored history %j that cannot be read is named, and not quoted',
  async text => {
    const store = new RedisSchemaStore(
      {
        location: 'here',
        key: name => name,
        now: () => 0,
        call: async () => ['public:shop.a', text],
        run: async () => null,
      },
      systemRandom,
    );
    const failure = await store.load().catch((error: unknown) => error);
    expect(failure).toEqual(new Error('the stored history of the schema of public:shop.a cannot be read'));
    expect((failure as Error).cause).toBeUndefined();
  },
);
