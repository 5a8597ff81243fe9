import { writeFile } from 'node:fs/promises';
import { display } from '../document/display.ts';
import { DashError } from '../errors.ts';
import { errnoOf } from '../store/contract.ts';

/** Writes a file that a command was asked for. @throws DashError STORAGE_IO */
export async function writeOut(path: string, content: string | Uint8Array): Promise<void> {
  try {
    await writeFile(path, content);
  } catch (error) {
    const message = `${display(path)} is not writable (${errnoOf(error) ?? 'failure'}); check the path.`;
    throw new DashError('STORAGE_IO', message, { operation: 'write', source: path });
  }
}
