import { workerData } from 'node:worker_threads';
import { watchdogExit } from './exit-code.js';
import { SharedState } from './shared-state.js';
import { StallCounter } from './stall-counter.js';

export interface WatchdogData {
  readonly memory: Int32Array<SharedArrayBuffer>;
  readonly app: string;
  readonly logLevel: string;
  readonly tickMs: number;
  /** The process is ended after this many ticks in a row without a heartbeat. */
  readonly maxTicks: number;
}

/** Long, because on a loaded machine the main thread may need seconds until it stops. */
const stackTimeoutMs = 8_000;
/** After this time the process is killed, even if the log line is not written yet. */
const killAfterMs = 30_000;

const { memory, app, logLevel, tickMs, maxTicks } = workerData as WatchdogData;
const state = new SharedState(memory);
const counter = new StallCounter(tickMs);
const timer = setInterval(() => {
  const { user, system } = process.cpuUsage();
  const stalledTicks = counter.tick(state.heartbeat, performance.now(), (user + system) / 1_000);
  if (stalledTicks < maxTicks || state.debuggerListens) return;
  clearInterval(timer);
  void endProcess(Math.round((stalledTicks * tickMs) / 1_000));
}, tickMs);

async function endProcess(seconds: number): Promise<void> {
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), killAfterMs);
  // Loaded only now, because they would take most of the memory of this thread.
  const { MainThread } = await import('./main-thread.js');
  const { LogOutput } = await import('../logging/log-output.js');
  const { createLogger } = await import('../logging/logger.js');
  const mainThread = new MainThread();
  const stack = await mainThread.stop(stackTimeoutMs);
  const output = new LogOutput();
  createLogger({ app, level: logLevel }, output).fatal(
    { seconds, stack },
    'the event loop is blocked: ending the process',
  );
  await output.flush();
  mainThread.exit(watchdogExit);
}
