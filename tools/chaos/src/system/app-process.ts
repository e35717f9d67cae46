import type { AppName } from '@gangan/protocol';
import { type TcpProxy, until } from '@gangan/testing';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { clockOffsetOf } from '../faults/clock.js';

/** An app stops within 28 s, and has to connect to its servers when it starts. */
const restartTimeoutMs = 60_000;

/** As a container platform restarts a container that has ended. */
const restartDelayMs = 500;

export interface AppSettings {
  /** Such as `messaging-2`. */
  readonly name: string;
  readonly app: AppName;
  readonly env: NodeJS.ProcessEnv;
  readonly logFile: string;
  readonly pidFile: string;
  /** Between the process and Postgres. */
  readonly database: TcpProxy;
}

/** A process that has ended, but not by a fault. */
export interface UnexpectedExit {
  /** Such as `messaging-2`. */
  readonly process: string;
  /** Its exit code or signal. */
  readonly reason: string;
  readonly lastLogLine: string;
  readonly at: Date;
}

/** One process of an app. It is started again whenever it ends. */
export class AppProcess {
  private child: ChildProcess | undefined;
  private relaunch: NodeJS.Timeout | undefined;
  private closing = false;
  private extraEnv: NodeJS.ProcessEnv = {};
  private ready = false;
  /** The process that was killed on purpose. */
  private killed: ChildProcess | undefined;
  /** The process that was asked to stop. */
  private stopped: ChildProcess | undefined;
  /** How often it was started. */
  starts = 0;
  /** How far the clock of the process is off, if it has reported it. */
  clockOffsetMs: number | undefined;
  readonly unexpectedExits: UnexpectedExit[] = [];

  constructor(private readonly settings: AppSettings) {}

  get name(): string {
    return this.settings.name;
  }

  get database(): TcpProxy {
    return this.settings.database;
  }

  get isReady(): boolean {
    return this.ready;
  }

  launch(): void {
    const { app, env, logFile, pidFile } = this.settings;
    const script = fileURLToPath(new URL(`../../../../apps/${app}/dist/main.js`, import.meta.url));
    const log = openSync(logFile, 'a');
    // In a session of its own, so that Ctrl-C reaches only this tool.
    const child = spawn(process.execPath, [script], {
      env: { ...env, ...this.extraEnv },
      detached: true,
      stdio: ['ignore', log, log, 'ipc'],
    });
    closeSync(log);
    this.child = child;
    this.starts += 1;
    if (child.pid !== undefined) writeFileSync(pidFile, `${child.pid}\n`);
    this.clockOffsetMs = undefined;
    child.on('message', (message: { type?: string }) => {
      if (message.type === 'ready') this.ready = true;
      this.clockOffsetMs ??= clockOffsetOf(message);
    });
    child.once('exit', (code, signal) => {
      this.ready = false;
      if (this.closing) return;
      const inOrder = this.stopped === child && code === 0;
      if (this.killed !== child && !inOrder) {
        const reason = code === null ? String(signal) : `exit code ${code}`;
        const lastLogLine = this.lastLogLine();
        this.unexpectedExits.push({ process: this.name, reason, lastLogLine, at: new Date() });
      }
      this.relaunch = setTimeout(() => {
        this.launch();
      }, restartDelayMs);
    });
    // A process that cannot be created has no exit; nothing else can be done about it here.
    child.on('error', () => undefined);
  }

  /** Returns whether there was a process to kill. */
  kill(): boolean {
    this.killed = this.child;
    return this.child?.kill('SIGKILL') ?? false;
  }

  /** Restarts it in order: SIGTERM, its end, a new start. Returns when it is ready. */
  async restart(): Promise<void> {
    const { child, starts } = this;
    this.stopped = child;
    child?.kill('SIGTERM');
    await until(`${this.name} is ready again`, () => this.starts > starts && this.ready, {
      timeoutMs: restartTimeoutMs,
      details: () => this.lastLogLine(),
    });
  }

  /** Stops the process as it is; the returned function lets it continue. `undefined` if there is none. */
  suspend(): (() => void) | undefined {
    const { child } = this;
    if (!child?.kill('SIGSTOP')) return undefined;
    return () => {
      child.kill('SIGCONT');
    };
  }

  /** Restarts it with further variables. */
  restartWith(extraEnv: NodeJS.ProcessEnv): void {
    this.extraEnv = extraEnv;
    this.kill();
  }

  lastLogLine(): string {
    return readFileSync(this.settings.logFile, 'utf8').trim().split('\n').at(-1) ?? '';
  }

  async close(): Promise<void> {
    this.closing = true;
    clearTimeout(this.relaunch);
    const { child } = this;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }
}
