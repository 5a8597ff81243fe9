import type { Clock } from '@msg/foundation/clock';
import type { SharedStore } from '#src/stores/redis/shared-store.ts';

/** A store whose own clock goes as a test's, and does not notice when that is set. */
export function storeWithClock(store: SharedStore, clock: Clock): SharedStore {
  const lead = clock.now() - clock.monotonic();
  return {
    location: store.location,
    key: name => store.key(name),
    now: () => clock.monotonic() + lead,
    call: (command, ...args) => store.call(command, ...args),
    run: (script, keys, args) => store.run(script, keys, args),
  };
}
