import { DashError } from '../errors.ts';

/** The error of an optional peer that is not installed; any other failure of its loading as it is. */
export function driverMissing(cause: unknown, system: string, packages: string): unknown {
  if (!(cause instanceof Error) || !('code' in cause) || cause.code !== 'ERR_MODULE_NOT_FOUND') return cause;
  const install = `npm install ${packages}`;
  const message = `What asks ${system} is not installed on the server: ${install}`;
  return new DashError('QUERY_DRIVER_MISSING', message, { install });
}
