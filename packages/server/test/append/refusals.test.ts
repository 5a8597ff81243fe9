import { Msg } from '@msg/server';
import { describe, expect, it } from 'vitest';
import { takesCommands } from '../support/appends/control-suite.ts';
import { endsMessages } from '../support/appends/end-suite.ts';
import { checksInOrder } from '../support/appends/gate-suite.ts';
import { refusesRequests } from '../support/appends/refusal-suite.ts';

describe('append streams in memory', () => {
  refusesRequests(() => ({}));
  checksInOrder(() => ({}));
  takesCommands(() => ({}));
  endsMessages(() => ({}));
});

it('a service that is not running refuses to append, for the time being', async () => {
  const rules = [{ pattern: 'public:shop.**', append: true }];
  const msg = await Msg.create({ channels: { rules, open: [{ pattern: 'public:shop.**' }] } });
  const opening = msg.appendStream('public:shop.log', { retryFor: 0 });
  await expect(opening).rejects.toMatchObject({ code: 'MSG_BROKER_NOT_READY', retryable: true });
});
