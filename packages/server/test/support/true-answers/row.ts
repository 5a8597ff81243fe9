import {
  createRpcClient,
  type RpcMethodName,
  type RpcRequest,
  type RpcResponse,
  type Sparse,
} from '@msg/core';
import { expect } from 'vitest';
import type { Stage } from './stage.ts';

/** Looks from outside whether what an answer claims is so. */
export type Observation = () => Promise<void>;

/** Prepares, asks, and gives back how the claim of the answer is observed. */
export type Claim = (stage: Stage) => Promise<Observation>;

/** Asks one method; rejects unless the answer is a success. */
export type Ask<M extends RpcMethodName> = (request: Sparse<RpcRequest<M>>) => Promise<RpcResponse<M>>;

/** How the command of a method asks the same. */
export interface CommandForm<M extends RpcMethodName> {
  /** The words after `msg`. */
  readonly name: string;
  /** Arguments and flags for a request. */
  line(request: Sparse<RpcRequest<M>>): readonly string[];
  /** The method's answer in JSON, out of the payload that is printed; absent: that itself. */
  answer?(payload: Readonly<Record<string, unknown>>): object;
  /** Exit code that goes with a payload; absent: 0. */
  exit?(payload: Readonly<Record<string, unknown>>): number;
}

/** A method and its command: one claim, asked for in two ways. */
export interface MethodRow {
  readonly method: string;
  readonly command: string;
  readonly byMethod: Claim;
  readonly byCommand: Claim;
}

/** A row of the table. */
export function methodRow<M extends RpcMethodName>(
  method: M,
  form: CommandForm<M>,
  claim: (ask: Ask<M>, stage: Stage) => Promise<Observation>,
): MethodRow {
  const asking = (way: (stage: Stage) => Ask<M>): Claim => {
    return async stage => {
      let answers = 0;
      const ask = way(stage);
      const observation = await claim(async request => {
        const answer = await ask(request);
        answers++;
        return answer;
      }, stage);
      if (answers === 0) throw new Error(`the row of ${method} does not ask`);
      return observation;
    };
  };
  return {
    method,
    command: form.name,
    byMethod: asking(stage => request => stage.client().call(method, request)),
    byCommand: asking(stage => request => askCommand(stage, method, form, request)),
  };
}

async function askCommand<M extends RpcMethodName>(
  stage: Stage,
  method: M,
  form: CommandForm<M>,
  request: Sparse<RpcRequest<M>>,
): Promise<RpcResponse<M>> {
  const { code, stderr, envelope } = await stage.command([...form.name.split(' '), ...form.line(request)]);
  const exit = envelope === undefined ? undefined : (form.exit?.(envelope.payload) ?? 0);
  if (envelope === undefined || code !== exit)
    throw new Error(`msg ${form.name} ended with ${code}: ${stderr}`);
  const text = JSON.stringify(form.answer?.(envelope.payload) ?? envelope.payload);
  // The client reads the answer into its types, as it does with the service's own.
  const reader = createRpcClient({
    server: '',
    fetch: async () => ({ status: 200, text: async () => text }),
  });
  return reader.call(method, request);
}

/** Makes a claim and looks whether it holds. @throws Error when the observation asserts nothing. */
export async function observe(claim: Claim, stage: Stage): Promise<void> {
  const observation = await claim(stage);
  const before = expect.getState().assertionCalls;
  await observation();
  if (expect.getState().assertionCalls === before) throw new Error('the observation asserts nothing');
}
