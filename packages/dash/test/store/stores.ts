import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect } from 'vitest';
import { canonicalBytes } from '#src/document/canonical.ts';
import { DashError } from '#src/errors.ts';
import type { DocumentStore } from '#src/store/contract.ts';
import { FileStore } from '#src/store/file-store.ts';
import { GitStore } from '#src/store/git-store.ts';
import { MESSAGE_FORM } from '../message-forms.ts';

/** A wait that a loaded machine does not reach. */
export const PATIENT_MS = 120_000;

export const KINDS = ['fs', 'git'] as const;

/** Fresh directories, removed after each test. */
export function temporaryRoots(): () => Promise<string> {
  const made: string[] = [];
  afterEach(async () => {
    await Promise.all(made.splice(0).map(root => rm(root, { recursive: true, force: true })));
  });
  return async () => {
    const root = await mkdtemp(join(tmpdir(), 'dash-store-'));
    made.push(root);
    return root;
  };
}

export function storeAt(kind: (typeof KINDS)[number], root: string, lockWaitMs = PATIENT_MS): DocumentStore {
  return kind === 'git' ? new GitStore({ root, lockWaitMs }) : new FileStore({ root, lockWaitMs });
}

/** Bytes of a document that says nothing but its id and title. */
export function documentBytes(id: string, title: string): Uint8Array {
  return canonicalBytes({
    manifest: { formatVersion: '1.0.0', id, title },
    root: { id: 'page', type: 'container' },
  });
}

export function git(root: string, ...args: string[]): string {
  return execFileSync(
    'git',
    ['-C', root, '-c', 'user.name=Tester', '-c', 'user.email=t@example.org', ...args],
    {
      encoding: 'utf8',
      stdio: 'pipe',
    },
  ).trimEnd();
}

/** The coded error of a rejected promise. */
export async function errorOf(promise: Promise<unknown>): Promise<DashError> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof DashError) {
      expect(error.message).toMatch(MESSAGE_FORM);
      return error;
    }
    throw error;
  }
  throw new Error('it was accepted');
}
