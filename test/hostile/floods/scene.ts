import { startEmbedded } from '../targets/embedded.ts';
import { startService } from '../targets/service.ts';
import type { OperatedTarget, Target } from '../targets/target.ts';
import type { FloodKind } from './flood.ts';
import { warmUp } from './warm-up.ts';

/** The process that a flood meets. */
export interface Scene {
  /** What is flooded. */
  readonly target: Target;
  /** Where the healthy client lives: in the same process. */
  readonly operated: OperatedTarget;
}

/** Starts what floods of a kind are against; it has had clients before. */
export async function openScene(against: FloodKind['against'], threads: number): Promise<Scene> {
  const scene = await startScene(against, threads);
  await warmUp(scene.operated.url, threads);
  return scene;
}

async function startScene(against: FloodKind['against'], threads: number): Promise<Scene> {
  if (against === 'service') {
    const service = await startService(threads);
    return { target: service, operated: service };
  }
  const [operated, target] = await startEmbedded();
  return { target, operated };
}
