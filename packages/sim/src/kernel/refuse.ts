import { SimulatorError } from './kernel.ts';
import { kernelIfRunning } from './running.ts';

/** Refuses what the simulation does not provide. The run ends, even if the program catches the error. */
export function refuse(what: string): never {
  const error = new SimulatorError(`SIM_NOT_SIMULATED: ${what}`);
  kernelIfRunning()?.stop(error);
  throw error;
}

/** An object of which only these members exist; another one is refused by its name. */
export function onlyThese<T extends object>(name: string, members: T): T {
  return new Proxy(members, {
    get(target, key, receiver) {
      if (typeof key === 'symbol' || key in target || key === 'then')
        return Reflect.get(target, key, receiver);
      return refuse(`${name}.${key}`);
    },
  });
}

type Members = Record<string, unknown>;

/** A module of Node.js that is real until a run begins, except for its classes and constants, which stay. */
export function untilRun(name: string, real: object): Members {
  return mapped(real, (key, value) => (isPlainFunction(value) ? guarded(`${name}.${key}`, value) : value));
}

/** A module of Node.js with some members replaced. */
export function withReplaced(real: object, replaced: Members): Members {
  return { ...mapped(real, (_, value) => value), ...replaced };
}

/** Members that are refused in a run, by their names. */
export function refusedInRun(name: string, real: object, keys: readonly string[]): Members {
  return Object.fromEntries(
    keys.map(key => [key, guarded(`${name}.${key}`, (real as Members)[key] as AnyFunction)]), // named by the caller
  );
}

type AnyFunction = (...args: unknown[]) => unknown;

function guarded(name: string, real: AnyFunction): AnyFunction {
  const replacement = (...args: unknown[]): unknown =>
    kernelIfRunning() === undefined ? real(...args) : refuse(name);
  return Object.assign(replacement, real); // members such as `realpath.native` stay
}

/** Classes begin with a capital letter in the modules of Node.js. */
function isPlainFunction(value: unknown): value is AnyFunction {
  return typeof value === 'function' && /^[a-z]/.test(value.name);
}

function mapped(real: object, map: (key: string, value: unknown) => unknown): Members {
  return Object.fromEntries(Object.entries(real).map(([key, value]) => [key, map(key, value)]));
}
