import { lastLogLines, rotateLog } from '@gangan/embedded-postgres';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { defaultProbe, HealthProbe, type ProbeSettings } from './health-probe.js';
import { recordRunningApps } from './running-apps.js';
import { StartError } from '../settings.js';

export interface SupervisedProcess {
  readonly name: string;
  readonly role: 'gateway' | 'worker';
  readonly script: string;
  readonly nodeFlags?: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** The process writes it by itself. */
  readonly logFile: string;
}

interface State extends SupervisedProcess {
  child?: ChildProcess | undefined;
  readyAt?: number | undefined;
  probe?: HealthProbe;
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
const stableAfterMs = 60_000;

/** Crashes in a row, after one more crash. A minute without one starts the count again. */
export const countCrash = (crashes: number, ranMs: number): number =>
  ranMs >= stableAfterMs ? 1 : crashes + 1;

/** The delay before a restart doubles with each crash in a row. */
export const restartDelayMs = (crashes: number): number => Math.min(250 * 2 ** (crashes - 1), 30_000);

interface Message {
  readonly type?: string;
  readonly faults?: readonly string[];
  readonly metricsHost?: string;
  readonly metricsPort?: number;
}

/** Starts the apps, restarts those that crash or are unhealthy, and stops them in order. */
export class Supervisor {
  private readonly states: readonly State[];
  private starting: { resolve: () => void; reject: (reason: Error) => void } | undefined;
  private stopping = false;

  constructor(
    apps: readonly SupervisedProcess[],
    /** Names the running apps at any time. */
    private readonly runningFile: string,
    private readonly say: (line: string) => void,
    private readonly probing: ProbeSettings = defaultProbe,
  ) {
    this.states = apps.map((app) => ({ ...app, crashes: 0, logOffset: 0 }));
  }

  /** Returns when every app is ready. */
  async start(): Promise<void> {
    const timer = setTimeout(() => this.starting?.reject(this.notReady()), readyTimeoutMs);
    try {
      await new Promise<void>((resolve, reject) => {
        this.starting = { resolve, reject };
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
    for (const { restart, probe } of this.states) {
      clearTimeout(restart);
      probe?.stop();
    }
    for (const role of ['gateway', 'worker']) {
      const children = this.states.flatMap((state) => (state.role === role && state.child) || []);
      await Promise.all(children.map(stopProcess));
    }
  }

  kill(): void {
    this.stopping = true;
    for (const { child } of this.states) child?.kill('SIGKILL');
  }

  private launch(state: State): void {
    const { script, env, nodeFlags = [], logFile } = state;
    state.logOffset = rotateLog(logFile);
    const log = openSync(logFile, 'a');
    // In a session of its own, so that Ctrl-C reaches only the supervisor, which stops the apps in order.
    const options = { env, detached: true, stdio: ['ignore', log, log, 'ipc'] as const };
    const child = (state.child = spawn(process.execPath, [...nodeFlags, script], options as never));
    closeSync(log);
    child.on('message', (message: Message) => {
      if (message.type === 'misconfigured') state.faults = message.faults ?? [];
      if (message.type !== 'ready') return;
      state.readyAt = performance.now();
      if (message.metricsPort !== undefined) void this.watchHealth(state, child, message);
      if (this.starting) this.finishStart();
      else this.say(`${state.name} is ready again`);
    });
    child.once('close', (code, signal) => {
      this.onEnd(state, child, code === null ? `signal ${signal ?? ''}` : `code ${code}`);
    });
    child.on('error', (error) => {
      if (child.pid === undefined) this.onEnd(state, child, error.message);
    });
    this.recordRunning();
  }

  /** Waits for every app before it reports faults, so that the user can correct all variables at once. */
  private finishStart(): void {
    if (!this.states.every(({ readyAt, faults }) => readyAt !== undefined || faults)) return;
    const faults = describeFaults(this.states);
    if (faults === '') this.starting?.resolve();
    else this.starting?.reject(new StartError(faults));
  }

  /** A process that cannot be created emits `error` and then `close`; only the first counts. */
  private onEnd(state: State, child: ChildProcess, how: string): void {
    if (state.child !== child) return;
    const { name, readyAt } = state;
    state.child = state.readyAt = undefined;
    state.probe?.stop();
    this.recordRunning();
    if (this.stopping) return;
    if (!state.faults) this.restart(state, how, readyAt);
    else if (this.starting) this.finishStart();
    else this.say(`${name} ended and is not restarted. ${describeFaults([state])}`);
  }

  /** Stops an app that is unhealthy; its end restarts it. */
  private async watchHealth(
    state: State,
    child: ChildProcess,
    { metricsHost, metricsPort = 0 }: Message,
  ): Promise<void> {
    const url = `http://${reachable(metricsHost)}:${metricsPort}/healthz`;
    state.probe = new HealthProbe(url, this.probing);
    const fault = await state.probe.untilUnhealthy();
    if (fault === undefined || this.stopping || state.child !== child) return;
    this.say(`${state.name} is unhealthy (${fault}); restarting it`);
    await stopProcess(child);
  }

  private restart(state: State, how: string, readyAt: number | undefined): void {
    state.crashes = countCrash(state.crashes, readyAt === undefined ? 0 : performance.now() - readyAt);
    const delayMs = restartDelayMs(state.crashes);
    state.restart = setTimeout(() => {
      this.launch(state);
    }, delayMs);
    const log = readyAt === undefined ? `. Last log lines:\n${lastLines(state, 15)}` : '';
    const restarting = `${state.name} ended (${how}); starting it again in ${delayMs / 1000} s`;
    if (!this.starting) this.say(`${restarting}${log}`);
    else if (state.crashes < maxStartAttempts) this.say(restarting);
    else {
      const faults = describeFaults(this.states);
      const failure = `${state.name} does not start (${how})${log}`;
      this.starting.reject(new StartError(faults ? `${failure}\n\n  ${faults}` : failure));
    }
  }

  private recordRunning(): void {
    const running = this.states.flatMap(({ name, script, child }) =>
      child?.pid === undefined ? [] : [[name, { pid: child.pid, script }] as const],
    );
    recordRunningApps(this.runningFile, Object.fromEntries(running));
  }

  private notReady(): StartError {
    const missing = this.states.filter(({ readyAt }) => readyAt === undefined);
    const names = missing.map(({ name }) => name).join(', ');
    const logs = missing.map((state) => `  ${state.name}:\n${lastLines(state, 8)}`).join('\n');
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

/** The address at which this machine reaches what listens on `host`. */
function reachable(host = '127.0.0.1'): string {
  if (['0.0.0.0', '::'].includes(host)) return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}

const lastLines = ({ logFile, logOffset }: State, count: number): string =>
  lastLogLines(logFile, logOffset, count)
    .map((line) => `    ${line}`)
    .join('\n');

/** Lists each fault once, also if several apps report it. Empty if there is none. */
function describeFaults(states: readonly State[]): string {
  const faults = [...new Set(states.flatMap((state) => state.faults ?? []))];
  if (faults.length === 0) return '';
  const count =
    faults.length === 1 ? 'One environment variable needs' : `${faults.length} environment variables need`;
  return `${count} your attention:\n\n${faults.join('\n').trimEnd()}`;
}
