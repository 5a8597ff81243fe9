// A fail-over loses publications that clients have heard, and their offsets are given again and passed (client protocol
// 11.5): as long as one node that heard them lives, every such client hears `recovered: false`.
import { eventually } from '@msg/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { Application, VERSIONS } from './application.ts';
import { Stage } from './stage.ts';

const TEST_MS = 300_000;
const WAIT_MS = 120_000;

let stage: Stage | null = null;
const applications: Application[] = [];

afterEach(async () => {
  for (const application of applications.splice(0)) application.leave();
  await stage?.stop();
  stage = null;
}, TEST_MS);

const words = (word: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, n) => `${word} ${n}`);

const KEPT = words('kept', 5);
const LOST = words('lost', 3);
/** More than were lost. */
const AGAIN = words('again', 5);
const LATER = words('later', 2);

/** What becomes of the nodes that heard the tail, while it is lost and its offsets are given again. */
const CASES = [
  { name: 'both nodes that heard it stand still meanwhile', standStill: true, dies: false },
  { name: 'one of them dies, and its clients come back to the other', standStill: true, dies: true },
  { name: 'both go on', standStill: false, dies: false },
] as const;

/** One application of each version at each of the nodes. */
function applicationsAt(urls: readonly string[], channel: string): readonly Application[] {
  const started = urls.flatMap(url => VERSIONS.map(({ Client }) => new Application(Client, url, channel)));
  applications.push(...started);
  return started;
}

const haveAll = (of: readonly Application[], texts: readonly string[]): Promise<void> =>
  eventually(
    `every client has ${texts.length} publications`,
    () => of.every(application => application.texts.join() === texts.join()),
    WAIT_MS,
  );

describe('every client that saw the lost tail hears `recovered: false`:', () => {
  it.each(CASES)(
    '$name',
    async ({ standStill, dies }) => {
      stage = await Stage.start();
      const { channel, listening, publishing } = stage;
      const [first = '', second = ''] = listening.map(({ websocketUrl }) => websocketUrl);
      const online = applicationsAt([first, second], channel);
      const awayAtFirst = applicationsAt([first], channel);
      const awayForLonger = applicationsAt([second], channel);
      const behind = applicationsAt([first], channel);
      const away = [...awayAtFirst, ...awayForLonger];
      await Promise.all(applications.map(application => application.ready()));

      await stage.publish(KEPT);
      await haveAll(applications, KEPT);
      await stage.holdReplicaBack();
      for (const application of behind) application.leave();
      await stage.publish(LOST);
      await haveAll([...online, ...away], [...KEPT, ...LOST]);
      for (const application of away) application.leave();

      if (standStill) stage.pause();
      await stage.failOver();
      await stage.publish(AGAIN);
      // The node that publishes has heard nothing of what was lost.
      for (const application of [...behind, ...awayAtFirst]) application.comeBack(publishing.websocketUrl);
      // They have missed nothing that there ever was, or are told that they may have, and read it anew.
      await haveAll(behind, [...KEPT, ...AGAIN]);
      if (standStill)
        expect(behind.map(({ resubscribes }) => resubscribes)).toEqual(
          behind.map(() => [{ wasRecovering: true, recovered: true }]),
        );
      if (dies) {
        for (const application of online) application.moveTo(second);
        listening[0]?.kill('SIGKILL');
      }
      stage.resume();
      for (const application of awayForLonger) application.comeBack(second);

      await eventually(
        'every client that saw the tail hears of the loss',
        () => [...online, ...away].every(({ heardOfLoss }) => heardOfLoss),
        WAIT_MS,
      );
      await stage.publish(LATER);
      await haveAll(applications, [...KEPT, ...AGAIN, ...LATER]);
    },
    TEST_MS,
  );
});
