import { registerHooks } from 'node:module';

// What the launcher does in a checkout (packages/command-line/bin/launch.js): the hook is this thread's alone.
registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier, { ...context, conditions: [...context.conditions, 'msg-source'] }),
});
const { systemClock } = await import('@msg/foundation/clock');
const { Painter } = await import('#src/render/chart/painter.ts');
const painter = new Painter(systemClock, new URL('./resolving-painter.mjs', import.meta.url));
process.stdout.write(await painter.paint({ id: 'a' }));
await painter.close();
