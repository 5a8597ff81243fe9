import type { Clock } from '@msg/foundation/clock';
import { isPromise, type MaybePromise } from '@msg/foundation/promises';
import type { Audit } from '../audit/audit.ts';
import { actorOf } from '../auth/access/actor.ts';
import { BUCKETS, DurationHistogram, LabelledCounter } from '../observability/counters.ts';
import type { PublishPipeline } from '../publishing/pipeline.ts';
import type { ApiCall } from './command.ts';
import type { ApiCommandRow } from './commands/rights.ts';
import { ApiError, type ApiFailure, apiFailure } from './errors.ts';
import type { Members } from './members.ts';

/** The outcome of a command: the JSON text of its result, or its failure. */
export type Outcome = { readonly text: string } | { readonly failure: ApiFailure };

/** A command of a request that holds several. */
export interface NamedCommand {
  readonly name: string;
  /** Undefined for what is not an object. */
  readonly members: Members | undefined;
}

export interface CommandRunnerOptions {
  readonly commands: ReadonlyMap<string, ApiCommandRow>;
  readonly callerOfSeveral: PublishPipeline['callerOfSeveral'];
  readonly audit: Pick<Audit, 'run'>;
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Called for failures of which callers see only error 100. */
  readonly onError: (error: unknown) => void;
}

/** The label of unknown commands, whose names callers choose. */
const UNKNOWN = 'unknown';

/** Runs commands one by one, and counts each: of a request, of a batch, of the older form. */
export class CommandRunner {
  /** By method and code; 0 is success. */
  readonly requests = new LabelledCounter();
  readonly seconds = new DurationHistogram(BUCKETS);
  readonly #options: CommandRunnerOptions;

  constructor(options: CommandRunnerOptions) {
    this.#options = options;
  }

  has(name: string): boolean {
    return this.#options.commands.has(name);
  }

  /** The call that the commands of one request share: one decision of the rate takes the permits of all publications. */
  sharedCall(call: ApiCall, commands: readonly NamedCommand[]): ApiCall {
    const count = commands.reduce((sum, command) => sum + publicationsOf(command), 0);
    return { ...call, caller: this.#options.callerOfSeveral(call.caller, count) };
  }

  /** Never throws. `members`: undefined for what is not an object. */
  run(name: string, members: Members | undefined, call: ApiCall): MaybePromise<Outcome> {
    const command = this.#options.commands.get(name);
    if (command === undefined)
      return this.fail(UNKNOWN, new ApiError(104, 'the service has no such command'));
    if (members === undefined) return this.fail(name, new ApiError(107, `${name} must be an object`));
    const start = this.#options.clock.monotonic();
    try {
      const text =
        command.rights.audited === 'always'
          ? this.#audited(name, command, members, call)
          : runAllowed(command, members, call);
      if (!isPromise(text)) return this.#succeeded(name, text, start);
      return text.then(
        later => this.#succeeded(name, later, start),
        (error: unknown) => this.#failed(name, error, start),
      );
    } catch (error) {
      return this.#failed(name, error, start);
    }
  }

  #audited(name: string, command: ApiCommandRow, members: Members, call: ApiCall): Promise<string> {
    const { principal, clientAddress } = call.caller;
    const { requestId } = call;
    const { rights } = command;
    return this.#options.audit.run(
      { ...actorOf(principal), clientAddress, requestId, via: 'api', method: name, rights, request: members },
      () => runAllowed(command, members, call),
    );
  }

  /** The outcome of a command that was not run. */
  fail(name: string, error: ApiError): Outcome {
    return this.#failed(name, error, this.#options.clock.monotonic());
  }

  #succeeded(name: string, text: string, start: number): Outcome {
    this.#count(name, '0', start);
    return { text };
  }

  #failed(name: string, error: unknown, start: number): Outcome {
    const failure = apiFailure(error);
    if (failure.status === 500) this.#options.onError(error);
    this.#count(name, String(failure.code), start);
    return { failure };
  }

  #count(name: string, code: string, start: number): void {
    this.requests.add(name, code);
    this.seconds.add(name, (this.#options.clock.monotonic() - start) / 1000);
  }
}

/** @throws MsgError MSG_AUTH_DENIED for a role that is not enough, and the errors of the command */
function runAllowed({ run, rights }: ApiCommandRow, members: Members, call: ApiCall): MaybePromise<string> {
  call.rights.requireRole(rights);
  return run(members, call);
}

function publicationsOf({ name, members }: NamedCommand): number {
  if (name === 'publish') return 1;
  const channels = name === 'broadcast' ? members?.['channels'] : undefined;
  return Array.isArray(channels) ? channels.length : 0;
}
