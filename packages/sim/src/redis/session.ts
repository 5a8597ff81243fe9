import { type Answer, OK } from './answer.ts';
import type { Client, ClientOutput } from './client.ts';
import { type AskedCommand, redirectionOf } from './cluster/redirection.ts';
import type { CommandRow, CommandTable } from './command.ts';
import { CommandError } from './command-error.ts';
import { hasFlag } from './command-traits.ts';
import { Dispatcher } from './dispatcher.ts';
import { oneLine } from './error-text.ts';
import { type Bytes, Failure, Status } from './reply.ts';
import { ProtocolError, Requests } from './requests.ts';
import { encoded } from './resp.ts';
import type { RedisState } from './state.ts';

const NOT_ALWAYS = 'only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this context';

/** One connection to a server: bytes in, bytes out. */
export class Session {
  readonly client: Client;
  readonly #state: RedisState;
  readonly #commands: Dispatcher;
  readonly #requests = new Requests();

  /** @param table the commands that it knows; default: those of a server of data */
  constructor(state: RedisState, output: ClientOutput, table?: CommandTable) {
    this.#state = state;
    this.#commands = new Dispatcher(state, table);
    this.client = state.newClient(output);
    state.clients.set(this.client.id, this.client);
  }

  /** Takes bytes as they come and runs every command that is whole. */
  receive(bytes: Bytes): void {
    this.#requests.push(bytes);
    try {
      while (!this.client.isEnded) {
        const args = this.#requests.next();
        if (args === undefined) return;
        this.#run(args);
      }
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      this.#answer(new Failure(oneLine(`ERR Protocol error: ${error.message}`)));
      this.#state.end(this.client);
    } finally {
      this.#state.flush();
    }
  }

  /** The connection is gone. */
  closed(): void {
    this.#state.leave(this.client);
  }

  #run(args: readonly Bytes[]): void {
    const { client } = this;
    const answer = this.#answerTo(args);
    this.#answer(answer);
    const name = args[0]?.toLowerCase();
    if (client.queued === undefined && name !== 'asking') client.isAsking = false;
    if (name === 'quit' || client.endsAfterReply) this.#state.end(client);
  }

  #answer(answer: Answer): void {
    this.client.send(encoded(answer, this.client.protocol));
  }

  #answerTo(args: readonly Bytes[]): Answer {
    const { client } = this;
    if (args[0]?.toLowerCase() === 'quit') return OK;
    try {
      const row = this.#commands.find(args);
      if (!client.isLoggedIn && !hasFlag(row, 'noAuth'))
        return this.#refused(new Failure('NOAUTH Authentication required.'), args);
      const elsewhere = this.#redirection({ row, args });
      if (elsewhere !== undefined) return this.#redirected(elsewhere, row);
      const failure = this.#refusal(row);
      if (failure !== undefined) return this.#refused(failure, args);
      if (client.queued === undefined || hasFlag(row, 'atOnce'))
        return this.#commands.execute(row, args, client);
      if (!client.isSpoiled) client.queued.push(args); // one that will not run keeps nothing
      return new Status('QUEUED');
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      return this.#refused(new Failure(error.text), args);
    }
  }

  /** EXEC is about the keys of all that was queued. */
  #redirection(command: AskedCommand): Failure | undefined {
    const { client } = this;
    if (command.row.name !== 'exec') return redirectionOf(this.#state, client, command);
    const queued = (client.queued ?? []).map(args => ({ row: this.#commands.find(args), args }));
    return redirectionOf(this.#state, client, queued);
  }

  /** It spoils the transaction as well, and EXEC itself ends it. */
  #redirected(failure: Failure, { name }: CommandRow): Failure {
    const { client } = this;
    if (name === 'exec') client.queued = undefined;
    else if (client.queued !== undefined) client.isSpoiled = true;
    return failure;
  }

  /** A command that is refused spoils the transaction; EXEC itself ends it. */
  #refused(failure: Failure, [name]: readonly Bytes[]): Failure {
    const { client } = this;
    if (name?.toLowerCase() === 'exec') {
      client.queued = undefined;
      const reason = failure.text.startsWith('ERR ') ? failure.text.slice(4) : failure.text;
      return new Failure(`EXECABORT Transaction discarded because of: ${reason}`);
    }
    if (client.queued !== undefined) client.isSpoiled = true;
    return failure;
  }

  #refusal(row: CommandRow): Failure | undefined {
    const { client } = this;
    const failure = this.#state.refusalOf(row);
    if (failure !== undefined) return failure;
    if (client.protocol === 2 && client.hasSubscriptions && !hasFlag(row, 'subscribed'))
      return new Failure(`ERR Can't execute '${row.name}': ${NOT_ALWAYS}`);
    return undefined;
  }
}
