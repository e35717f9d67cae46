import { type ChildProcess, spawn } from 'node:child_process';
import { AppLog } from './app-log.js';
import { RestartPolicy } from './restart-policy.js';

export interface AppProcessOptions {
  readonly name: string;
  readonly script: string;
  readonly nodeFlags?: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly logFile: string;
}

/** What the owner of an app hears of it. */
export interface AppProcessEvents {
  started(name: string, pid: number): void;
  ready(name: string): void;
  /** It ended without having been asked to, and is started again after the pause. */
  crashed(name: string, crash: Crash): void;
  /** It cannot use its configuration, and ended for good: what it says is wrong. */
  misconfigured(name: string, faults: readonly string[]): void;
  stopped(name: string): void;
}

export interface Crash {
  /** `code 1`, `signal SIGKILL`. */
  readonly how: string;
  /** Its last words, when it had not become ready. */
  readonly lastLines: readonly string[];
  readonly pauseMs: number;
}

/** Keeps one app running until it is told to stop. */
export class AppProcess {
  private readonly log: AppLog;
  private readonly policy = new RestartPolicy();
  private child: ChildProcess | undefined;
  private restart: NodeJS.Timeout | undefined;
  private stopping = false;
  private readyAt: number | undefined;
  private faults: readonly string[] | undefined;
  private readonly ended: (() => void)[] = [];

  constructor(
    private readonly options: AppProcessOptions,
    private readonly events: AppProcessEvents,
  ) {
    this.log = new AppLog(options.logFile);
  }

  get name(): string {
    return this.options.name;
  }

  get ready(): boolean {
    return this.readyAt !== undefined;
  }

  lastLines(count: number): Promise<string[]> {
    return this.log.lastLines(count);
  }

  start(): void {
    this.readyAt = undefined;
    const { script, env, nodeFlags = [] } = this.options;
    // A session of its own: Ctrl-C in the terminal reaches only us, and we decide in which order things end.
    const child = this.log.lend((log) =>
      spawn(process.execPath, [...nodeFlags, script], {
        env,
        detached: true,
        stdio: ['ignore', log, log, 'ipc'],
      }),
    );
    this.child = child;
    child.on('message', (message) => {
      if (isReady(message)) this.becomeReady();
      else if (isMisconfigured(message)) this.faults = message.faults;
    });
    child.once(
      'close',
      (code, signal) => void this.end(code === null ? `signal ${signal ?? ''}` : `code ${code}`),
    );
    child.on('error', (error) => {
      if (child.pid === undefined) void this.end(error.message);
    });
    if (child.pid !== undefined) this.events.started(this.name, child.pid);
  }

  /** Drains it; what has not ended after the grace is killed. */
  stop(graceMs: number): Promise<void> {
    this.stopping = true;
    clearTimeout(this.restart);
    const { child } = this;
    if (!child) return Promise.resolve();
    return new Promise((resolve) => {
      const impatience = setTimeout(() => child.kill('SIGKILL'), graceMs);
      this.ended.push(() => {
        clearTimeout(impatience);
        resolve();
      });
      child.kill('SIGTERM');
    });
  }

  kill(): void {
    this.stopping = true;
    this.child?.kill('SIGKILL');
  }

  private becomeReady(): void {
    this.readyAt = performance.now();
    this.events.ready(this.name);
  }

  private async end(how: string): Promise<void> {
    this.child = undefined;
    const ranMs = this.readyAt === undefined ? 0 : performance.now() - this.readyAt;
    const wasReady = this.ready;
    this.readyAt = undefined;
    if (this.stopping) {
      this.events.stopped(this.name);
      for (const done of this.ended.splice(0)) done();
      return;
    }
    if (this.faults) {
      this.events.misconfigured(this.name, this.faults);
      return;
    }
    const pauseMs = this.policy.pauseAfter(ranMs);
    this.restart = setTimeout(() => {
      this.start();
    }, pauseMs);
    const lastLines = wasReady ? [] : await this.log.lastLines(15);
    this.events.crashed(this.name, { how, lastLines, pauseMs });
  }
}

const typeOf = (message: unknown): unknown => (Object(message) as { type?: unknown }).type;

const isReady = (message: unknown): boolean => typeOf(message) === 'ready';

const isMisconfigured = (message: unknown): message is { faults: readonly string[] } =>
  typeOf(message) === 'misconfigured';
