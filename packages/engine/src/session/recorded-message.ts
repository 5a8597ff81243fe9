// What a recording shows of one message, and what it drops.

type Member = string | number | boolean | readonly string[];

/** A message of the protocol as a recording shows it; what it does not name was dropped. */
export interface RecordedMessage {
  /** Name of the command, of the reply or of the push; `error`, `ping` and `pong`. */
  readonly name: string;
  /** Number of the command; 0 for pushes. */
  readonly id: number;
  /** Empty for messages without one, and for pushes with a `channelId`. */
  readonly channel: string;
  /** Numeric id of the channel; 0: the message has a name, or no channel. */
  readonly channelId: number;
  /** Of errors, disconnects and unsubscribes; else 0. */
  readonly code: number;
  /** Neither tokens nor payloads. */
  readonly members: Readonly<Record<string, Member>>;
  /** Texts of tokens, by member: never for people. */
  readonly tokens: Readonly<Record<string, string>>;
  /** Payloads by member. */
  readonly payloads: Readonly<Record<string, Uint8Array>>;
}

/** What was read of a frame: messages, and why the rest was not decoded. */
export interface RecordedMessages {
  readonly messages: readonly RecordedMessage[];
  /** Absent: everything was decoded. */
  readonly error?: string;
}

/** The said parts of a message; the others have their zero value. */
export type Parts = Partial<Omit<RecordedMessage, 'members' | 'payloads'>> & {
  readonly members?: Readonly<Record<string, Member>>;
  readonly payloads?: Readonly<Record<string, Uint8Array | null | undefined>>;
};

function isSaid(value: Member): boolean {
  return value !== '' && value !== 0 && value !== false && !(Array.isArray(value) && value.length === 0);
}

/** A message with what is said of it. */
export function recorded(
  name: string,
  { members = {}, payloads = {}, tokens = {}, ...rest }: Parts,
): RecordedMessage {
  const said = Object.entries(payloads).filter(([, bytes]) => bytes !== null && bytes !== undefined);
  return {
    id: 0,
    channel: '',
    channelId: 0,
    code: 0,
    ...rest,
    name,
    members: Object.fromEntries(Object.entries(members).filter(([, value]) => isSaid(value))),
    tokens: Object.fromEntries(Object.entries(tokens).filter(([, text]) => text !== '')),
    payloads: Object.fromEntries(said) as Record<string, Uint8Array>, // filtered above
  };
}
