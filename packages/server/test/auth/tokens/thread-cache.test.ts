import { systemClock } from '@msg/foundation/clock';
import { expect, test } from 'vitest';
import { silentLogger } from '#src/observability/logger.ts';
import { compose } from '#src/service/compose.ts';
import { acquireResources, disposeResources } from '#src/service/resources.ts';

test.each([
  [undefined, 4096],
  [2, 2048],
  [4, 1024],
  [32, 1000],
])('of %s threads each remembers %i tokens', async (of, most) => {
  const thread = of === undefined ? undefined : { number: 1, of };
  const options = { clock: systemClock, logger: silentLogger };
  const resources = await acquireResources(options, thread);
  try {
    const { verifier, management } = compose(options, resources);
    for (let n = 0; n < most + 5; n++) verifier.read(management.issue(`app-${n}`, 60_000).token);
    expect([...verifier.tokens()]).toHaveLength(most);
  } finally {
    await disposeResources(resources);
  }
});
