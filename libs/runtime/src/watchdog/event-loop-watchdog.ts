import { url as debuggerUrl } from 'node:inspector';
import { Worker } from 'node:worker_threads';
import type { AppLogger } from '../logging/logger.js';
import { SharedState } from './shared-state.js';
import type { WatchdogData } from './watchdog-thread.js';

export interface WatchdogSettings {
  readonly app: string;
  readonly logLevel: string;
  /** How long the event loop may be blocked; 0 starts no watchdog. */
  readonly timeoutMs: number;
}

/** A stall of this many ticks ends the process. */
const ticksPerTimeout = 20;
/** The thread needs about 3 MB. */
const heapLimitMb = 32;

/**
 * Ends this process if its event loop is blocked, from a thread of its own. Not while a debugger listens: a breakpoint blocks
 * the event loop too.
 */
export function watchEventLoop({ app, logLevel, timeoutMs }: WatchdogSettings, logger: AppLogger): void {
  if (timeoutMs === 0) return;
  const tickMs = timeoutMs / ticksPerTimeout;
  const state = new SharedState();
  const beat = (): void => {
    state.beat(debuggerUrl() !== undefined);
  };
  beat();
  setInterval(beat, tickMs).unref();
  const data: WatchdogData = { memory: state.memory, app, logLevel, tickMs, maxTicks: ticksPerTimeout };
  const thread = new Worker(new URL('./watchdog-thread.js', import.meta.url), {
    workerData: data,
    // It has no use for the secrets in the environment, and a flag such as --inspect-brk must not stop it.
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: heapLimitMb, maxYoungGenerationSizeMb: 1 },
  });
  thread.unref();
  thread.on('error', (error) => {
    logger.error({ err: error }, 'the watchdog has failed: a blocked event loop will not be noticed');
  });
}
