import { AppProcess, type AppProcessOptions, type Crash } from './app-process.js';
import { attention } from './attention.js';
import { type RunningApps } from './running.js';
import { StartError } from './start-error.js';

export interface SupervisedApp extends AppProcessOptions {
  readonly role: 'gateway' | 'worker';
}

const readyWithinMs = 120_000;
/** The apps themselves give up draining after 28 s. */
const graceMs = 30_000;
const triesToStart = 3;

/** Starts the apps, keeps them running, and ends them in the order in which they need each other. */
export class Supervisor {
  private readonly processes: readonly { readonly role: string; readonly app: AppProcess }[];
  private readonly failures = new Map<string, number>();
  private readonly faults = new Map<string, readonly string[]>();
  private waiting: { ready: () => void; fail: (reason: Error) => void } | undefined;

  constructor(
    apps: readonly SupervisedApp[],
    private readonly running: RunningApps,
    private readonly say: (line: string) => void,
  ) {
    this.processes = apps.map(({ role, ...options }) => ({
      role,
      app: new AppProcess(options, {
        started: (name, pid) => {
          running.started(name, { pid, script: options.script });
        },
        ready: (name) => {
          this.onReady(name);
        },
        crashed: (name, crash) => {
          this.onCrash(name, crash);
        },
        misconfigured: (name, faults) => {
          this.onMisconfigured(name, faults);
        },
        stopped: (name) => {
          running.ended(name);
        },
      }),
    }));
  }

  /** Returns when every app is ready. */
  async start(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    try {
      await new Promise<void>((ready, fail) => {
        this.waiting = { ready, fail };
        timer = setTimeout(() => void this.late().then(fail), readyWithinMs);
        for (const { app } of this.processes) app.start();
      });
    } finally {
      clearTimeout(timer);
      this.waiting = undefined;
    }
  }

  /** First who asks, then who answers: what the gateway has accepted still finds its worker. */
  async stop(): Promise<void> {
    this.waiting?.fail(new Error('Stopped before it was ready'));
    for (const role of ['gateway', 'worker']) {
      const group = this.processes.filter((process) => process.role === role);
      await Promise.all(group.map(({ app }) => app.stop(graceMs)));
    }
  }

  /** For the impatient. */
  kill(): void {
    for (const { app } of this.processes) app.kill();
  }

  private onReady(name: string): void {
    if (!this.waiting) this.say(`${name} is ready again`);
    else this.settle();
  }

  private onMisconfigured(name: string, faults: readonly string[]): void {
    this.running.ended(name);
    this.faults.set(name, faults);
    if (this.waiting) this.settle();
    else this.say(`${name} ended and stays away. ${attention(faults)}`);
  }

  /** Every app is heard before any fault is told: one edit then mends them all. */
  private settle(): void {
    if (!this.processes.every(({ app }) => app.ready || this.faults.has(app.name))) return;
    if (this.faults.size === 0) this.waiting?.ready();
    else this.waiting?.fail(new StartError(this.allFaults()));
  }

  private allFaults(): string {
    return attention([...this.faults.values()].flat());
  }

  private onCrash(name: string, { how, lastLines, pauseMs }: Crash): void {
    this.running.ended(name);
    const failures = (this.failures.get(name) ?? 0) + 1;
    this.failures.set(name, failures);
    const words = lastLines.map((line) => `    ${line}`).join('\n');
    const again = `${name} ended (${how}); starting it again in ${pauseMs / 1000} s`;
    if (!this.waiting) this.say(words ? `${again}. Its last words:\n${words}` : again);
    else if (failures < triesToStart) this.say(again);
    else {
      const others = this.faults.size > 0 ? `\n\n  ${this.allFaults()}` : '';
      this.waiting.fail(
        new StartError(`${name} does not start (${how}). Its last words:\n${words}${others}`),
      );
    }
  }

  private async late(): Promise<StartError> {
    const missing = this.processes.map(({ app }) => app).filter((app) => !app.ready);
    const words = await Promise.all(
      missing.map(async (app) => [
        `  ${app.name}:`,
        ...(await app.lastLines(8)).map((line) => `    ${line}`),
      ]),
    );
    const names = missing.map(({ name }) => name).join(', ');
    return new StartError(
      `Not ready after ${readyWithinMs / 1000} s: ${names}. Their last words:\n${words.flat().join('\n')}`,
    );
  }
}
