import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mustRun, versionOf } from '../../process.ts';
import type { Language } from '../language.ts';
import { ENCODINGS } from '../steps.ts';

const SOURCES = new URL('../../../programs/rust/src', import.meta.url).pathname;

/** centrifuge-client, the crate of the authors of the protocol. `ring` needs no CMake, which the default does. */
export const RUST: Language = {
  name: 'Rust',
  client: 'centrifuge-client',
  releases: ['0.1.0'],
  encodings: ENCODINGS,
  tooSlow: 'builds for more than a minute',
  missing: () => (versionOf('cargo', '--version') === undefined ? 'Rust is not installed' : undefined),
  prepare: async (_releases, folder) => async release => {
    const releaseFolder = join(folder, release);
    mkdirSync(releaseFolder, { recursive: true });
    cpSync(SOURCES, join(releaseFolder, 'src'), { recursive: true });
    writeFileSync(join(releaseFolder, 'Cargo.toml'), manifest(release));
    await mustRun('cargo', ['build', '--quiet'], { cwd: releaseFolder });
    return { command: join(releaseFolder, 'target/debug/program'), args: [] };
  },
};

const manifest = (release: string): string => `[package]
name = "program"
version = "0.0.0"
edition = "2021"

[dependencies]
centrifuge-client = { version = "=${release}", default-features = false, features = ["json", "ring"] }
tokio = { version = "1", features = ["macros", "rt-multi-thread", "sync"] }

[workspace]
`;
