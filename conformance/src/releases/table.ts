import type { MatrixRow } from './matrix.ts';
import { type Encoding, STEPS, type StepName } from './steps.ts';

const LETTERS: Readonly<Record<Encoding, string>> = { json: 'J', protobuf: 'P' };

export const RELEASES_HEADING = '## Releases of the clients';

/** The lines of rows in the table. */
export function rowLine({ language, client, release, results, notRun }: MatrixRow): string {
  const title = [language, client, release].filter(part => part !== undefined).join(' ');
  const cell = (step: StepName): string => {
    const passed = [...results].filter(([, result]) => result.passed.includes(step));
    return passed.length === 0 ? '–' : passed.map(([encoding]) => LETTERS[encoding]).join(' ');
  };
  const [first, ...rest] = STEPS.map(({ name }) => cell(name));
  return line([
    title,
    ...(notRun === '' ? [first ?? '', ...rest] : [`not run: ${notRun}`, ...rest.map(() => '')]),
  ]);
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

/** The part of the documentation's page about releases, from a run of all of them. */
export function releasesPart(rows: readonly MatrixRow[]): string {
  const head = [
    line(['Release', ...STEPS.map(({ title }) => title)]),
    line(['---', ...STEPS.map(() => '---')]),
  ];
  return `${RELEASES_HEADING}

What the registries serve of each client, old and new: each release goes through one session on a server that demands
tokens, over WebSocket. J: passed over JSON; P: over Protobuf; –: the client has no such encoding. Recovery means that the
connection was reset, two publications were made while no client could connect, one more when clients could, and the client
received the three in order, once each, and said that it had recovered.

${[...head, ...rows.map(rowLine)].join('\n')}

### centrifuge-java 0.4.1 and quick reconnects

An application that calls \`disconnect()\` and \`connect()\` in quick succession can lose its subscription to one of three
races in this release. The server cannot help: it sees well-formed commands that the protocol refuses, or sockets that the
client itself cuts. A thousand runs of twenty reconnects each that the server asked for, and a thousand of twenty pairs
of calls without a pause, all ended subscribed. With pauses of up to 30 ms between the pairs:

| Cause | What the application sees | Runs | Way out |
| --- | --- | --- | --- |
| The opening of an earlier socket sends a connect command on the present one: two of them on one connection | \`onDisconnected\` with 3501, for good | 5 of 1,000 | connect again |
| The failure of an earlier, cancelled socket closes the present one, whose failure closes the next | connections that last for milliseconds, over and over | 2 of 600 | wait for \`onConnected\` before the next \`disconnect()\` |
| Each connection asks a \`SubscriptionTokenGetter\` again while its earlier answer is still to come, and each answer sends a subscribe | \`onUnsubscribed\` with 105, for good; publications stop | 24 of 1,000, with a getter that takes up to 300 ms | \`setToken\`, or subscribe again after 105 |
`;
}
