import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished, type TestContext } from 'vitest';

/**
 * An empty folder that is gone after the test.
 * @param test whose folder it is; default: the one that runs, where no other runs beside it
 */
export async function temporaryFolder(
  test: Pick<TestContext, 'onTestFinished'> = { onTestFinished },
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'msg-server-'));
  test.onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
