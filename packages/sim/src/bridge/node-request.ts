import type { Switches } from '../plan/switches.ts';

/** What the process of a node is asked for; one argument, as JSON. */
export interface NodeRequest {
  readonly switches: Switches;
  /** Of the store, as users give it. */
  readonly address: string;
  /** By the ports of the store, those of this node's ways to them. */
  readonly roads: Readonly<Record<string, number>>;
  /** What its wall clock is ahead. */
  readonly skewMs: number;
}

/** What happened in a node, by the clock of the machine: it heard, listens or listens no more. */
export type NodeNote =
  | readonly [atUs: number, kind: 'heard', channel: string, epoch: string, offset: number, text: string]
  | readonly [atUs: number, kind: 'listens' | 'leaves', channel: string];

/** What the process of a node tells. */
export type NodeMessage = { readonly port: number } | { readonly notes: readonly NodeNote[] };

/** What it is told: its wall clock jumps. */
export interface ClockJump {
  readonly jumpMs: number;
}
