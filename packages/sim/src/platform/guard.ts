import { createHook } from 'node:async_hooks';
import { type Kernel, SimulatorError } from '../kernel/kernel.ts';
import { kernelIfRunning } from '../kernel/running.ts';

/** Kinds of resources of Node.js that wait for something outside of the process. */
const OUTSIDE = new Set([
  'FILEHANDLE',
  'FSEVENTWRAP',
  'FSREQCALLBACK',
  'FSREQPROMISE',
  'GETADDRINFOREQWRAP',
  'GETNAMEINFOREQWRAP',
  'KEYPAIRGENREQUEST',
  'PBKDF2REQUEST',
  'PIPECONNECTWRAP',
  'PIPEWRAP',
  'PROCESSWRAP',
  'QUERYWRAP',
  'RANDOMBYTESREQUEST',
  'SCRYPTREQUEST',
  'SIGNREQUEST',
  'TCPCONNECTWRAP',
  'TCPSERVERWRAP',
  'TCPWRAP',
  'Timeout',
  'TLSWRAP',
  'UDPWRAP',
  'WORKER',
]);

/** Refuses such resources while a run is played, with the stack that asked for them. */
export function installGuard(): void {
  createHook({
    init(_id, type) {
      const kernel = OUTSIDE.has(type) ? kernelIfRunning() : undefined;
      kernel?.stop(new SimulatorError(`SIM_NOT_SIMULATED: ${type} waits for the outside`));
    },
  }).enable();
}

/** What the process still waits for after a run, though the kernel waits for nothing. */
const AWAITED = new Set(['Timeout', 'TCPSocketWrap', 'TCPServerWrap', 'FSReqCallback', 'GetAddrInfoReqWrap']);

/** @throws SimulatorError for real resources that a run has left */
export function assertNothingLeft(kernel: Kernel): void {
  const left = process.getActiveResourcesInfo().filter(kind => AWAITED.has(kind));
  if (left.length > 0) kernel.failure ??= new SimulatorError(`the run left ${left.join(', ')}`);
}
