import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

const VERSION = 'v3.19.2';
/** The Go that this version of Helm is written for. */
const NEEDED = [1, 24] as const;
/** Built once: it takes a minute on two cores. */
const FOLDER = resolve('.tmp/helm', VERSION);
const HELM = `${FOLDER}/helm`;
/** Helm built by `go install` takes itself for one of an old cluster. */
const KUBERNETES = '1.34.0';

/** Why Helm cannot be built here; `undefined`: it can. */
export function missingHelm(): string | undefined {
  if (existsSync(HELM)) return undefined;
  const wanted = `needs Go ${NEEDED.join('.')} or newer`;
  const { status, stdout = '' } = spawnSync('go', ['env', 'GOVERSION'], { encoding: 'utf8' });
  if (status !== 0) return wanted;
  const [, major, minor] = /^go(\d+)\.(\d+)/.exec(stdout) ?? [];
  const isNewEnough =
    Number(major) > NEEDED[0] || (Number(major) === NEEDED[0] && Number(minor) >= NEEDED[1]);
  return isNewEnough ? undefined : `${wanted}, this is ${stdout.trim()}`;
}

/** Why the public judge of manifests cannot be installed here; `undefined`: it can. */
export function missingJudge(): string | undefined {
  return spawnSync('python3', ['-c', 'import ensurepip, venv']).status === 0
    ? undefined
    : 'needs Python with venv: apt-get install -y python3-venv';
}

/** Fetches and builds Helm, and installs the judge of manifests. */
export function prepareHelm(): void {
  if (!existsSync(HELM)) {
    const env = { ...process.env, GOBIN: FOLDER, GOFLAGS: '', GOTOOLCHAIN: 'local' };
    execFileSync('go', ['install', `helm.sh/helm/v3/cmd/helm@${VERSION}`], { env, stdio: 'pipe' });
  }
  const environment = `${FOLDER}/python`;
  if (existsSync(`${environment}/bin/kubernetes-validate`)) return;
  execFileSync('python3', ['-m', 'venv', environment], { stdio: 'pipe' });
  const install = ['-m', 'pip', 'install', '-q', 'kubernetes-validate==1.37.0'];
  execFileSync(`${environment}/bin/python`, install, { stdio: 'pipe' });
}

/** What `helm` answers; `text` has both of its streams. */
export function helm(...args: readonly string[]): { readonly ok: boolean; readonly text: string } {
  const version = args[0] === 'template' ? ['--kube-version', KUBERNETES] : [];
  const { status, stdout, stderr } = spawnSync(HELM, [...args, ...version], { encoding: 'utf8' });
  return { ok: status === 0, text: stdout + stderr };
}

/** What the public judge of manifests finds in a file; empty: nothing. It knows the kinds of Kubernetes itself only. */
export function manifestFaults(file: string): string {
  const judge = `${FOLDER}/python/bin/kubernetes-validate`;
  const { status, stdout, stderr } = spawnSync(judge, ['--strict', '--quiet', file], { encoding: 'utf8' });
  return status === 0 ? '' : stdout + stderr;
}
