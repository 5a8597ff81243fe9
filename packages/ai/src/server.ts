export type { PipeOptions, RunResult } from './answer-pipe.ts';
export { openRun, pipeToChannel, type Run, type RunOptions, type RunService } from './run.ts';
