import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, renameSync, statSync } from 'node:fs';
import type { AppSpec } from './app-environment.js';
import type { RunningApps } from './running-apps.js';
import { StartError } from './settings.js';

export interface SupervisedApp extends AppSpec {
  readonly script: string;
  readonly nodeFlags?: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** The app writes it by itself. */
  readonly logFile: string;
}

interface State {
  readonly app: SupervisedApp;
  child?: ChildProcess | undefined;
  readyAt?: number | undefined;
  restart?: NodeJS.Timeout;
  crashes: number;
  /** Where the log of the current process begins. */
  logOffset: number;
  /** What is wrong with the environment variables of the app. It is not restarted. */
  faults?: readonly string[];
}

const readyTimeoutMs = 120_000;
/** Apps stop draining after 28 s. */
const graceMs = 30_000;
const maxStartAttempts = 3;
const maxLogBytes = 10 * 1024 * 1024;
const stableAfterMs = 60_000;

/** Crashes in a row, after one more crash. A minute without one starts the count again. */
export const countCrash = (crashes: number, ranMs: number): number =>
  ranMs >= stableAfterMs ? 1 : crashes + 1;

/** The delay before a restart doubles with each crash in a row. */
export const restartDelayMs = (crashes: number): number => Math.min(250 * 2 ** (crashes - 1), 30_000);

/** Starts the apps, restarts those that crash, and stops them in order. */
export class Supervisor {
  private readonly states: readonly State[];
  private starting: { resolve: () => void; reject: (reason: Error) => void } | undefined;
  private stopping = false;

  constructor(
    apps: readonly SupervisedApp[],
    private readonly running: RunningApps,
    private readonly say: (line: string) => void,
  ) {
    this.states = apps.map((app) => ({ app, crashes: 0, logOffset: 0 }));
  }

  /** Returns when every app is ready. */
  async start(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    try {
      await new Promise<void>((resolve, reject) => {
        this.starting = { resolve, reject };
        timer = setTimeout(() => {
          reject(this.notReady());
        }, readyTimeoutMs);
        for (const state of this.states) this.launch(state);
      });
    } finally {
      clearTimeout(timer);
      this.starting = undefined;
    }
  }

  /** Stops the gateway before the workers, so that accepted requests are still handled. */
  async stop(): Promise<void> {
    this.stopping = true;
    this.starting?.reject(new Error('Stopped before it was ready'));
    for (const { restart } of this.states) clearTimeout(restart);
    for (const role of ['gateway', 'worker']) {
      const children = this.states.flatMap(({ app, child }) => (app.role === role && child ? [child] : []));
      await Promise.all(children.map(stopProcess));
    }
  }

  kill(): void {
    this.stopping = true;
    for (const { child } of this.states) child?.kill('SIGKILL');
  }

  private launch(state: State): void {
    const { name, script, env, nodeFlags = [], logFile } = state.app;
    state.logOffset = statSync(logFile, { throwIfNoEntry: false })?.size ?? 0;
    if (state.logOffset > maxLogBytes) {
      renameSync(logFile, `${logFile}.1`);
      state.logOffset = 0;
    }
    const log = openSync(logFile, 'a');
    // In a session of its own, so that Ctrl-C reaches only the supervisor, which stops the apps in order.
    const options = { env, detached: true, stdio: ['ignore', log, log, 'ipc'] as const };
    const child = (state.child = spawn(process.execPath, [...nodeFlags, script], options as never));
    closeSync(log);
    child.on('message', (message: { type?: string; faults?: readonly string[] }) => {
      if (message.type === 'misconfigured') state.faults = message.faults ?? [];
      if (message.type === 'ready') this.onReady(state);
    });
    child.once('close', (code, signal) => {
      this.onEnd(state, code === null ? `signal ${signal ?? ''}` : `code ${code}`);
    });
    child.on('error', (error) => {
      if (child.pid === undefined) this.onEnd(state, error.message);
    });
    if (child.pid !== undefined) this.running.started(name, { pid: child.pid, script });
  }

  private onReady(state: State): void {
    state.readyAt = performance.now();
    if (this.starting) this.finishStart();
    else this.say(`${state.app.name} is ready again`);
  }

  /** Waits for every app before it reports faults, so that the user can correct all variables at once. */
  private finishStart(): void {
    if (!this.states.every(({ readyAt, faults }) => readyAt !== undefined || faults)) return;
    const faults = this.allFaults();
    if (faults.length === 0) this.starting?.resolve();
    else this.starting?.reject(new StartError(describeFaults(faults)));
  }

  private allFaults(): string[] {
    return this.states.flatMap(({ faults = [] }) => faults);
  }

  private onEnd(state: State, how: string): void {
    const { app, readyAt, faults } = state;
    this.running.ended(app.name);
    state.child = state.readyAt = undefined;
    if (this.stopping) return;
    if (!faults) this.restart(state, how, readyAt);
    else if (this.starting) this.finishStart();
    else this.say(`${app.name} ended and is not restarted. ${describeFaults(faults)}`);
  }

  private restart(state: State, how: string, readyAt: number | undefined): void {
    const { name } = state.app;
    state.crashes = countCrash(state.crashes, readyAt === undefined ? 0 : performance.now() - readyAt);
    const delayMs = restartDelayMs(state.crashes);
    state.restart = setTimeout(() => {
      this.launch(state);
    }, delayMs);
    const log = readyAt === undefined ? `. Last log lines:\n${lastLines(state, 15)}` : '';
    const restarting = `${name} ended (${how}); starting it again in ${delayMs / 1000} s`;
    if (!this.starting) this.say(`${restarting}${log}`);
    else if (state.crashes < maxStartAttempts) this.say(restarting);
    else {
      const faults = this.allFaults();
      const others = faults.length > 0 ? `\n\n  ${describeFaults(faults)}` : '';
      this.starting.reject(new StartError(`${name} does not start (${how})${log}${others}`));
    }
  }

  private notReady(): StartError {
    const missing = this.states.filter(({ readyAt }) => readyAt === undefined);
    const names = missing.map(({ app }) => app.name).join(', ');
    const logs = missing.map((state) => `  ${state.app.name}:\n${lastLines(state, 8)}`).join('\n');
    return new StartError(`Not ready after ${readyTimeoutMs / 1000} s: ${names}. Last log lines:\n${logs}`);
  }
}

async function stopProcess(child: ChildProcess): Promise<void> {
  const timer = setTimeout(() => child.kill('SIGKILL'), graceMs);
  const closed = once(child, 'close');
  child.kill('SIGTERM');
  await closed;
  clearTimeout(timer);
}

function lastLines({ app, logOffset }: State, count: number): string {
  const lines = readFileSync(app.logFile).subarray(logOffset).toString('utf8').split('\n').filter(Boolean);
  return lines
    .slice(-count)
    .map((line) => `    ${line}`)
    .join('\n');
}

/** Lists each fault once, also if several apps report it. */
function describeFaults(faults: readonly string[]): string {
  const distinct = [...new Set(faults)];
  const need = distinct.length === 1 ? 'variable needs' : 'variables need';
  return `${distinct.length === 1 ? 'One' : distinct.length} environment ${need} your attention:\n\n${distinct.join('\n').trimEnd()}`;
}
