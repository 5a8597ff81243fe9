import { decodeControl, encodeControl } from '@msg/protocol/internal';
import type { ControlCommand } from '../contract.ts';
import { toCommand, toMessage } from '../messages.ts';

/** Names of the calls between the two ends of the control bus (threads 4.7). */
export const ControlCall = {
  /** A thread's node has started, or stopped. */
  started: 'control.started',
  stopped: 'control.stopped',
  /** The nodes of the process have changed. */
  nodes: 'control.nodes',
  broadcast: 'control.broadcast',
  execute: 'control.execute',
  survey: 'control.survey',
  answer: 'control.answer',
} as const;

/** A survey of a thread. */
export interface SurveyArguments extends AnswerArguments {
  readonly toNode: string | undefined;
  readonly withinMs: number | undefined;
}

/** The question of a survey, for the node of a thread. */
export interface AnswerArguments {
  readonly operation: string;
  readonly data: Uint8Array;
}

/** A command as nodes send it to each other. */
export function commandBytes(command: ControlCommand): Uint8Array {
  return encodeControl(toMessage(command));
}

/** @throws RangeError for a message without a command */
export function commandOf(bytes: Uint8Array): ControlCommand {
  const command = toCommand(decodeControl(bytes));
  if (command === null) throw new RangeError('the message between threads has not a command');
  return command;
}
