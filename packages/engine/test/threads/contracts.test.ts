import type { ControlCommand } from '@msg/engine';
import {
  APPEND_CONTRACT,
  answerSurvey,
  BROKER_CONTRACT,
  CONTROL_CONTRACT,
  POSITION_CONTRACT,
  PRESENCE_CONTRACT,
} from '@msg/engine/testing';
import { eventually } from '@msg/testkit';
import { describe, expect, it } from 'vitest';
import { LINK_SIZES, ThreadsInOne } from './thread-subjects.ts';

describe.each(LINK_SIZES)(
  'thread backends keep the contracts with both ends in one thread: %s',
  (_, sizes) => {
    it.each([...BROKER_CONTRACT, ...APPEND_CONTRACT, ...POSITION_CONTRACT])(
      'broker: $name',
      async ({ holds }) => {
        const process = await new ThreadsInOne(sizes).start();
        const { broker, events } = await process.thread(1);
        // The memory broker hands everything on; here a node hears of what it is subscribed to.
        for (const channel of ['a', 'b', 'c']) await broker.subscribe(channel);
        await holds({ broker, events, advance: ms => process.clock.advance(ms) });
        await process.stop();
        expect(process.errors).toEqual([]);
        expect([process.host.channelCount, process.clock.pending]).toEqual([0, 0]);
      },
    );

    it.each(BROKER_CONTRACT)("main's own broker: $name", async ({ holds }) => {
      const process = await new ThreadsInOne(sizes).start();
      const { broker } = process.host.backends;
      await holds({ broker, events: process.main, advance: ms => process.clock.advance(ms) });
      await process.stop();
    });

    it.each(PRESENCE_CONTRACT)('presence: $name', async ({ holds }) => {
      const process = await new ThreadsInOne(sizes).start();
      const { presence } = await process.thread(1);
      await presence.start();
      await holds(presence);
      await presence.stop();
      await process.stop();
      expect(await process.host.backends.presence.counts('a')).toEqual({ clients: 0, users: 0 });
    });

    it.each(CONTROL_CONTRACT)('control: $name', async ({ holds }) => {
      const process = await new ThreadsInOne(sizes).start();
      const threads = [await process.thread(1), await process.thread(2)];
      const nodes = [];
      for (const { control, nodeId: id } of [...threads, process.host.backends]) {
        const executed: ControlCommand[] = [];
        await control.start(id, {
          version: '1.2.3',
          execute: command => void executed.push(command),
          survey: (operation, data) => answerSurvey(id, operation, data),
        });
        nodes.push({ id, control, executed });
      }
      await holds({ nodes, eventually });
      for (const { control } of nodes) await control.stop();
      expect(nodes.flatMap(({ control }) => control.nodes())).toEqual([]);
      await process.stop();
      expect(process.errors).toEqual([]);
    });
  },
);
