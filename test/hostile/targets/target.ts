import type { AttackedRoute } from '../route.ts';

/** A program that is attacked, in a process of its own. */
export interface Target {
  readonly name: string;
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  readonly pid: number;
  /** Path that answers 200 while the program works. */
  readonly healthPath: string;
  readonly routes: readonly AttackedRoute[];
  /** True until the process has ended. */
  isRunning(): boolean;
  /** Records of failures that no peer may cause, as the program wrote them. */
  failures(): readonly string[];
  stop(): Promise<void>;
}

/** A target whose management RPC the run may call. */
export interface OperatedTarget extends Target {
  /** Management bearer. */
  readonly token: string;
  /** Calls a method as the operator. @throws Error for any answer but 200 */
  call(method: string, request: object): Promise<unknown>;
}
