import { executeLocally } from '../control/executor.ts';
import { EMULATION_SURVEY } from '../emulation.ts';
import type { NodeParts } from './parts.ts';

/** Starts broker, presence and control, and passes their events to the connections. */
export async function startBackends(parts: NodeParts): Promise<void> {
  const { appends, id, broker, presence, control, background, clock, context, hub, sessions } = parts;
  await broker.start({
    publication: (channel, publication, position, delta, previous, isVolatile) => {
      appends.interrupted(channel);
      hub.broadcast(channel, publication, position, delta, previous, isVolatile, clock);
    },
    appended: (channel, state) => {
      appends.appended(channel, state);
      hub.appended(channel, state, parts.streamOptions(channel).append?.fullWindowMs, clock);
    },
    flushed: (channel, end) => {
      parts.onAppended(channel, end);
      if (end !== null) parts.onAppendChanged(channel);
    },
    appendChanged: channel => parts.onAppendChanged(channel),
    missed: channel => hub.missed(channel),
    join: (channel, info) => hub.broadcastJoinLeave(channel, 'join', info),
    leave: (channel, info) => hub.broadcastJoinLeave(channel, 'leave', info),
    restored: names => {
      const { positions, random } = context;
      for (const channel of hub.entries(names)) positions.checkSoon(channel, random.fraction());
    },
  });
  await presence.start();
  await control.start(id, {
    version: context.version,
    execute: command => background.add(executeLocally(hub, sessions, command)),
    survey: async (operation, data) =>
      operation === EMULATION_SURVEY ? parts.emulation.answer(data) : parts.survey(operation, data),
  });
}

/** Stops what {@link startBackends} started, and every timer. */
export async function stopBackends({
  appends,
  broker,
  presence,
  control,
  context,
  wheel,
}: NodeParts): Promise<void> {
  appends.finish();
  context.positions.stop();
  await control.stop();
  await presence.stop();
  await broker.stop();
  wheel.stop();
}
