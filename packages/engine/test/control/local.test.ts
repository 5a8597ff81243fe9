import { type ControlCommand, LocalControl } from '@msg/engine';
import { answerSurvey, CONTROL_CONTRACT } from '@msg/engine/testing';
import { eventually } from '@msg/testkit';
import { describe, it } from 'vitest';

describe('control of a single node keeps the contract', () => {
  it.each(CONTROL_CONTRACT)('$name', async ({ holds }) => {
    const control = new LocalControl();
    const executed: ControlCommand[] = [];
    await control.start('n1', {
      version: '1.2.3',
      execute: command => executed.push(command),
      survey: (operation, data) => answerSurvey('n1', operation, data),
    });
    await holds({ nodes: [{ id: 'n1', control, executed }], eventually });
    await control.stop();
  });
});
