import assert from 'node:assert/strict';
import { MsgError } from '@msg/core';
import type { ContractCase } from '@msg/engine/testing';
import { systemClock } from '@msg/foundation/clock';
import { isTransient } from '../notify/sinks/classification.ts';
import { configuredSink } from '../service/configured-sinks.ts';
import type { SinkCondition } from './sink-destination.ts';
import {
  ATTEMPTS,
  display,
  MESSAGE,
  NAME,
  readEntry,
  requiredValues,
  SECRET,
  SinkRig,
  type SinkSubject,
  until,
} from './sink-rig.ts';

function promise(name: string, holds: ContractCase<SinkSubject>['holds']): ContractCase<SinkSubject> {
  return { name, holds };
}

/** The error of an entry; the entry must not be accepted. */
async function configError(
  subject: SinkSubject,
  values: Readonly<Record<string, string>>,
): Promise<MsgError> {
  try {
    const entry = readEntry(subject.kind, values);
    await configuredSink(NAME, entry, { clock: systemClock, privateUrls: false });
  } catch (error) {
    assert.ok(error instanceof MsgError, `a MsgError is expected, not ${String(error)}`);
    assert.equal(error.code, 'MSG_SINK_CONFIG_INVALID');
    assert.match(error.message, /^sinks\.suite/, 'the error names the entry');
    assert.match(error.message, /\(suite\.yaml:3\)$/, 'the error names file and line');
    assert.ok(!error.message.includes(SECRET), 'the error shows no value');
    return error;
  }
  throw new assert.AssertionError({ message: 'the configuration is accepted' });
}

/** An aborted send has to end within this time. */
const ABORT_MS = 2000;
const WORKING_URL = 'http://127.0.0.1:9';

const sending: ContractCase<SinkSubject>[] = [
  promise('the sink has the name of its entry', subject =>
    SinkRig.run(subject, 'takes it', async ({ sink }) => assert.equal(sink.name, NAME)),
  ),
  promise('a destination that takes it gets the message once', subject =>
    SinkRig.run(subject, 'takes it', async rig => {
      assert.equal(await rig.deliver(), 'sink');
      assert.equal(rig.destination.arrivals(), 1);
      assert.deepEqual(await rig.queue.list(NAME, 0), []);
    }),
  ),
  ...(['is busy', 'cuts the connection'] satisfies SinkCondition[]).map(condition =>
    promise(
      `a destination that ${condition} gets every attempt, then the delivery is a dead letter`,
      subject =>
        SinkRig.run(subject, condition, async rig => {
          assert.equal(await rig.deliver(), 'dlq');
          assert.equal(rig.destination.arrivals(), ATTEMPTS);
          const [letter, ...others] = await rig.queue.list(NAME, 0);
          assert.deepEqual(others, []);
          assert.equal(letter?.attempts, ATTEMPTS);
          assert.deepEqual(letter?.message, MESSAGE);
          assert.ok(!letter?.lastError.includes(SECRET), 'a dead letter shows a secret');
        }),
    ),
  ),
  promise('a destination that refuses for good gets one attempt', subject =>
    SinkRig.run(subject, 'refuses for good', async rig => {
      assert.equal(await rig.deliver(), 'dlq');
      assert.equal(rig.destination.arrivals(), 1);
      assert.equal((await rig.queue.list(NAME, 0))[0]?.attempts, 1);
    }),
  ),
  promise(
    'an attempt without an answer ends by a time limit on the injected clock, and may be repeated',
    subject =>
      SinkRig.run(subject, 'never answers', async rig => {
        const error: unknown = await rig.pass(rig.send()).then(
          () => undefined,
          (reason: unknown) => reason,
        );
        assert.ok(isTransient(error, false), `a time-out is transient, not ${String(error)}`);
        assert.equal(rig.clock.pending, 0, 'a timer is left behind');
      }),
  ),
  promise('an attempt that the caller aborts ends at once, and is not repeated', subject =>
    SinkRig.run(subject, 'never answers', async rig => {
      const caller = new AbortController();
      let error: unknown;
      rig.send(caller.signal).catch((reason: unknown) => {
        error = reason;
      });
      await until(() => rig.destination.arrivals() > 0);
      caller.abort();
      await until(() => error !== undefined, ABORT_MS);
      assert.ok(!isTransient(error, true), 'what the caller aborted is not repeated');
    }),
  ),
  promise('its recipients survive the way through a dead letter', subject =>
    SinkRig.run(subject, 'takes it', async ({ sink }) => {
      const stored: unknown = JSON.parse(JSON.stringify(subject.kind.recipient ?? null));
      assert.ok(
        sink.decodeRecipient !== undefined,
        'dead letters cannot be replayed without decodeRecipient',
      );
      await sink.send(sink.decodeRecipient(stored), MESSAGE, {});
    }),
  ),
];

const configuration: ContractCase<SinkSubject>[] = [
  promise('an entry without a required setting is refused by its name', async subject => {
    const values = requiredValues(subject.kind, WORKING_URL);
    for (const key of Object.keys(values)) {
      const { [key]: _missing, ...others } = values;
      const missing = await configError(subject, others);
      assert.ok(missing.message.startsWith(`sinks.suite.${key} is required`), missing.message);
      const empty = await configError(subject, { ...values, [key]: '' });
      assert.ok(empty.message.startsWith(`sinks.suite.${key} is required`), empty.message);
    }
  }),
  promise('an address that is not a URL is refused, and not shown', async subject => {
    const values = requiredValues(subject.kind, WORKING_URL);
    for (const [key, { type, required }] of Object.entries(subject.kind.settings)) {
      if (type === 'url' && required) await configError(subject, { ...values, [key]: SECRET });
    }
  }),
  promise('a setting that the kind does not have is refused', async subject => {
    const values = requiredValues(subject.kind, WORKING_URL);
    assert.throws(() => readEntry(subject.kind, { ...values, 'no-such-setting': 'x' }), /no-such-setting/);
  }),
  promise('secrets are masked, and what is not one is shown', async subject => {
    const values: Record<string, string> = requiredValues(subject.kind, WORKING_URL);
    for (const [key, { type, secret }] of Object.entries(subject.kind.settings)) {
      if (secret && type !== 'url') values[key] = SECRET;
    }
    const text = display(subject.kind, readEntry(subject.kind, values));
    assert.ok(!text.includes(SECRET), text);
    for (const key of Object.keys(values))
      assert.ok(text.includes(JSON.stringify(key)), `${key} is not shown`);
  }),
  promise('every setting has a meaning for the page of the configuration', async ({ kind }) => {
    for (const [key, { help }] of Object.entries(kind.settings)) assert.notEqual(help, '', key);
  }),
];

/**
 * The contract of every kind of sink: attempts, time limits, aborts, masked secrets, errors of the configuration. For a
 * kind that posts to a setting of the type `url`, it needs only the row.
 */
export const SINK_CONTRACT: readonly ContractCase<SinkSubject>[] = [...sending, ...configuration];
