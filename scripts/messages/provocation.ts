import { markdownTable } from '../markdown-table.ts';

/** A call of the real code that ends in an error. */
export interface Provocation {
  /** The situation in words: "a private channel that exists". */
  readonly when: string;
  /** Makes the call; rejects or throws with the coded error. */
  readonly call: () => unknown;
}

/** A message that the code produced. */
export interface MessageExample {
  readonly when: string;
  readonly message: string;
}

/** Calls by the code that they end in. */
export type Provocations<Code extends string> = Readonly<Partial<Record<Code, readonly Provocation[]>>>;

/**
 * Makes every call and returns the messages by code.
 * @throws Error when a call succeeds or ends in another code.
 */
export async function messagesOf<Code extends string>(
  provocations: Provocations<Code>,
): Promise<ReadonlyMap<Code, readonly MessageExample[]>> {
  const result = new Map<Code, readonly MessageExample[]>();
  for (const code of Object.keys(provocations) as Code[]) {
    const examples: MessageExample[] = [];
    for (const { when, call } of provocations[code] ?? [])
      examples.push({ when, message: await messageOf(code, when, call) });
    result.set(code, examples);
  }
  return result;
}

async function messageOf(expected: string, when: string, call: () => unknown): Promise<string> {
  try {
    await call();
  } catch (error) {
    const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
    if (code === expected && typeof message === 'string') return message;
    throw new Error(`${when}: ended in ${String(code)}, not in ${expected}`, { cause: error });
  }
  throw new Error(`${when}: did not end in ${expected}`);
}

/** The messages of a code as a table of Markdown. */
export function exampleTable(examples: readonly MessageExample[]): string {
  const code = (message: string): string => `\`${message.replaceAll('`', "'")}\``;
  return markdownTable(
    ['Example', 'Message'],
    examples.map(({ when, message }) => [when, code(message)]),
  );
}
