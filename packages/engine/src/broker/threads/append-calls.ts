import { Payload } from '@msg/protocol';
import type {
  AppendCancel,
  AppendOutcome,
  AppendState,
  AppendStore,
  CancelTarget,
  PreparedAppend,
} from '../../append/contract.ts';
import type { LinkEnd } from '../../threads/link/link-end.ts';
import type { StreamOptions } from '../contract.ts';
import type { Interests } from './interests.ts';
import { BrokerCall } from './kinds.ts';

/** Arguments of the calls of append streams. */
export interface AppendArguments {
  readonly channel: string;
  readonly request: PreparedAppend;
  readonly stream: StreamOptions;
}

export interface StateArguments {
  readonly channel: string;
  readonly message: string | null;
  readonly withDocument: boolean | undefined;
}

export interface CancelArguments {
  readonly channel: string;
  readonly target: CancelTarget;
  readonly cancel: AppendCancel;
}

export interface OutcomeArguments {
  readonly channel: string;
  readonly message: string;
  readonly outcome: AppendOutcome;
}

/** A state whose document can be cloned. */
export type ClonableState = Omit<AppendState, 'document'> & { readonly document: Uint8Array | null };

/** The other form of a state: what the call's answer carries. */
function clonable(state: AppendState | null): ClonableState | null {
  return state === null ? null : { ...state, document: state.document?.bytes ?? null };
}

export function appendState(state: ClonableState | null): AppendState | null {
  if (state === null) return null;
  return { ...state, document: state.document === null ? null : new Payload(state.document) };
}

/** Serves the append streams of main's broker to a thread. */
export function handleAppendCalls(
  link: LinkEnd,
  store: AppendStore,
  interests: Interests,
  bit: number,
): void {
  const watches = new Map<string, () => void>();
  link.handleCall(BrokerCall.append, ({ channel, request, stream }: AppendArguments) =>
    store.append(channel, request, stream),
  );
  link.handleCall(BrokerCall.appendState, async ({ channel, message, withDocument }: StateArguments) =>
    clonable(await store.state(channel, message, withDocument)),
  );
  link.handleCall(BrokerCall.cancelAppend, async ({ channel, target, cancel }: CancelArguments) =>
    clonable(await store.cancel(channel, target, cancel)),
  );
  link.handleCall(BrokerCall.claimOutcome, ({ channel, message }: Omit<OutcomeArguments, 'outcome'>) =>
    store.claimOutcome(channel, message),
  );
  link.handleCall(BrokerCall.storeOutcome, ({ channel, message, outcome }: OutcomeArguments) =>
    store.storeOutcome(channel, message, outcome),
  );
  link.handleCall(BrokerCall.watch, async (channel: string) => {
    const unwatch = await store.watch?.(channel);
    if (unwatch !== undefined) watches.set(channel, unwatch);
    await interests.add(
      channel,
      interest => interest.watch(bit),
      interest => interest.unwatch(bit),
    );
  });
  link.handleCall(BrokerCall.unwatch, async (channel: string) => {
    watches.get(channel)?.();
    watches.delete(channel);
    await interests.remove(channel, interest => interest.unwatch(bit));
  });
}
