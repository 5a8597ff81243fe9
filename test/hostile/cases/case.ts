import { eventually } from '@msg/testkit';
import { HostileSocket, type RawRequest, rawRequest } from '@msg/testkit/hostile';
import type { SeededRandom } from '../random.ts';
import type { AttackedRoute } from '../route.ts';
import { ENDINGS, type Ending, FLOOD_REQUESTS } from './ending.ts';
import { FORMS, type Form, PLAIN } from './form.ts';
import { ANSWER_MS, STAGES, type Stage } from './stage.ts';

/** A machine under load is late with everything. */
const PATIENCE_MS = 10_000;

/** One route, one way to write its request, one stage, one thing done there. */
export interface Case {
  readonly route: AttackedRoute;
  readonly form: Form;
  readonly stage: Stage;
  readonly ending: Ending;
}

/** How a case ended: as it must, before its stage was reached, or with what the server owed and did not do. */
export type CaseOutcome = 'passed' | 'unreachable' | { readonly fault: string };

export function caseName({ route, form, stage, ending }: Case): string {
  return `${route.name}, ${form.name}, at ${stage.name}: ${ending.name}`;
}

function isSensible({ route, form, stage, ending }: Case): boolean {
  if (form !== PLAIN && (stage.beforeForm === true || ending.waits === true)) return false;
  if (form.incomplete === true && (stage.answered === true || ending.final !== true)) return false;
  return form.rewrite === undefined || form.rewrite(route.request) !== undefined;
}

/** All cases of these routes. */
export function casesOf(routes: readonly AttackedRoute[]): readonly Case[] {
  return routes.flatMap(route =>
    FORMS.flatMap(form =>
      STAGES[route.kind].flatMap(stage =>
        ENDINGS.map(ending => ({ route, form, stage, ending })).filter(isSensible),
      ),
    ),
  );
}

/** Runs one case against the server at `url`. Never rejects. */
export async function runCase(url: string, attack: Case, random: SeededRandom): Promise<CaseOutcome> {
  const { route, form, stage, ending } = attack;
  const written: RawRequest = form.rewrite?.(route.request) ?? route.request;
  const request = rawRequest(written);
  const headBytes = request.length - Buffer.byteLength(written.body ?? '');
  let socket: HostileSocket | undefined;
  try {
    socket = await HostileSocket.open(url);
    const left = await stage.reach({ socket, request, headBytes });
    if (left === undefined) return answered(socket) ?? 'unreachable';
    await ending.act({ socket, request, rest: request.subarray(left), random });
    await receiveWhatIsOwed(socket, attack);
    return answered(socket) ?? 'passed';
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) };
  } finally {
    socket?.destroy();
  }
}

/** A held answer goes on as long as its reader lives. */
function mayStayOpen({ route, stage }: Case): boolean {
  return route.kind === 'stream' && stage.whole === true;
}

async function receiveWhatIsOwed(socket: HostileSocket, attack: Case): Promise<void> {
  const { route, stage, ending } = attack;
  const over = (): boolean => socket.finReceived || socket.end !== undefined;
  if (ending.owes === 'end' && !mayStayOpen(attack)) {
    await eventually('the end of the connection', over, stage.deadlineMs + PATIENCE_MS);
  }
  if (ending.owes !== 'answers' || route.kind !== 'answer') return;
  const all = (): boolean => over() || statuses(socket).length > FLOOD_REQUESTS;
  await eventually('answers to all requests, or the end', all, ANSWER_MS + PATIENCE_MS);
}

function statuses(socket: HostileSocket): string[] {
  return [...socket.text.matchAll(/^HTTP\/1\.1 ([2-5]\d\d) /gm)].map(([, status]) => status ?? '');
}

/** A failure of the server's own is a fault whatever was asked; 503 tells the peer to come back. */
function answered(socket: HostileSocket): { fault: string } | undefined {
  const failed = statuses(socket).find(
    status => status.startsWith('5') && status !== '503' && status !== '501',
  );
  return failed === undefined ? undefined : { fault: `an answer of status ${failed}` };
}
