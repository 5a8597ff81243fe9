import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A channel in which messages may grow. */
export const CHANNEL = 'public:grow.answer';

const YAML = `channels:
  rules:
    - { pattern: "public:grow.**", append: true, append_window: 5ms }
  open:
    - { pattern: "public:grow.**" }
`;

/** Arguments of nodes with append streams; their configuration is in this folder. */
export async function appendingArguments(folder: string): Promise<readonly string[]> {
  const file = join(folder, 'msg.yaml');
  await writeFile(file, YAML);
  return ['--config', file];
}
