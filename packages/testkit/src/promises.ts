import { createHook } from 'node:async_hooks';

/** How many promises `work` makes before it returns, awaited or not. */
export function countPromises(work: () => void): number {
  let count = 0;
  const hook = createHook({
    init(_id, type) {
      if (type === 'PROMISE') count++;
    },
  });
  hook.enable();
  try {
    work();
  } finally {
    hook.disable();
  }
  return count;
}
