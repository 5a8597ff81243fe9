import type { Situation, SituationName } from '@msg/core';
import { codeOf } from './directory.ts';

interface FileProblem {
  readonly text: string;
  readonly situation: SituationName;
}

const PROBLEMS: Readonly<Record<string, FileProblem>> = {
  ENOENT: { text: 'no such file', situation: 'fileMissing' },
  ENOTDIR: { text: 'a part of the path is not a directory', situation: 'fileMissing' },
  EACCES: { text: 'permission denied', situation: 'fileDenied' },
  EPERM: { text: 'permission denied', situation: 'fileDenied' },
  EISDIR: { text: 'it is a directory', situation: 'fileIsDirectory' },
};

/** Why a file cannot be read, in words, and the remedy if it is known. */
export function fileFailure(path: string, cause: unknown): { text: string; situation?: Situation } {
  const code = codeOf(cause);
  const problem = typeof code === 'string' ? PROBLEMS[code] : undefined;
  if (problem === undefined)
    return { text: `${path} cannot be read${code === undefined ? '' : `: ${code}`}` };
  return { text: `${path} cannot be read: ${problem.text}`, situation: { name: problem.situation } };
}
