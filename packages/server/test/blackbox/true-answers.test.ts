import { METHODS } from '@msg/core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { COMMANDS } from '#src/cli/program.ts';
import { closeClients } from '../support/stock-client.ts';
import { apiKeyRows } from '../support/true-answers/api-key-rows.ts';
import { appendRows } from '../support/true-answers/append-rows.ts';
import { bearerRows } from '../support/true-answers/bearer-rows.ts';
import { channelRows } from '../support/true-answers/channel-rows.ts';
import { deliveryRows } from '../support/true-answers/delivery-rows.ts';
import { feedRows } from '../support/true-answers/feed-rows.ts';
import { keyRows } from '../support/true-answers/key-rows.ts';
import { letterChangeRows } from '../support/true-answers/letter-change-rows.ts';
import { localKeyRows } from '../support/true-answers/local-key-rows.ts';
import { nodeRows } from '../support/true-answers/node-rows.ts';
import { operatorRows } from '../support/true-answers/operator-rows.ts';
import { outboxRows } from '../support/true-answers/outbox-rows.ts';
import { programRows } from '../support/true-answers/program-rows.ts';
import { publishingRows } from '../support/true-answers/publishing-rows.ts';
import { recordingRows } from '../support/true-answers/recording-rows.ts';
import { methodRow, observe } from '../support/true-answers/row.ts';
import { schemaRows } from '../support/true-answers/schema-rows.ts';
import { Stage } from '../support/true-answers/stage.ts';
import { tokenRows } from '../support/true-answers/token-rows.ts';
import { watchingRows } from '../support/true-answers/watching-rows.ts';

const METHOD_ROWS = [
  ...channelRows,
  ...publishingRows,
  ...appendRows,
  ...deliveryRows,
  ...letterChangeRows,
  ...tokenRows,
  ...keyRows,
  ...apiKeyRows,
  ...schemaRows,
  ...recordingRows,
  ...feedRows,
  ...operatorRows,
  ...nodeRows,
];

/** Commands that call no method. */
const LOCAL_ROWS = { ...watchingRows, ...localKeyRows, ...outboxRows, ...bearerRows, ...programRows };

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.open();
});
afterEach(closeClients);
afterAll(() => stage.close());

describe('the table', () => {
  test('has one row for every method and every command', () => {
    expect(METHOD_ROWS.map(({ method }) => method).toSorted()).toEqual(Object.keys(METHODS).toSorted());
    const commands = [...METHOD_ROWS.map(({ command }) => command), ...Object.keys(LOCAL_ROWS)];
    expect(commands.toSorted()).toEqual(COMMANDS.map(({ name }) => name).toSorted());
  });

  test('a row that does not observe fails, and so does one that does not ask', async () => {
    await expect(observe(async () => async () => {}, stage)).rejects.toThrow('asserts nothing');
    const form = { name: 'keys list', line: () => [] };
    const silent = methodRow('ListKeys', form, async () => async () => expect(1).toBe(1));
    await expect(observe(silent.byMethod, stage)).rejects.toThrow('does not ask');
  });
});

describe('what an answer claims is so', () => {
  test.for(METHOD_ROWS.map(row => [row.method, row] as const))('%s', async ([, row]) => {
    await observe(row.byMethod, stage);
  });

  test.for(METHOD_ROWS.map(row => [row.command, row] as const))('msg %s', async ([, row]) => {
    await observe(row.byCommand, stage);
  });

  test.each(Object.entries(LOCAL_ROWS))('msg %s', async (_, claim) => {
    await observe(claim, stage);
  });
});
