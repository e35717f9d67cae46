import { withTimeout } from '@gangan/protocol';
import { remembered } from './remembered.js';

export interface HealthReport {
  readonly healthy: boolean;
  /** Each check by name: `ok`, or what is wrong with it. */
  readonly checks: Readonly<Record<string, string>>;
}

export interface Pingable {
  ping(): Promise<void>;
}

/** What a started process stands on. */
export interface Foundations {
  readonly database: Pingable;
  readonly queues: Pingable;
  /** The server of the queue's requests; absent in a process that only asks. */
  readonly server?: { progress(): { readonly running: boolean; readonly oldestActiveMs: number } };
}

const longestStallMs = 10_000;
const longestHandlerMs = 5 * 60_000;
const pingLimitMs = 2_000;
const pingMemoryMs = 500;

/** Whether this process gets on with its work (`/healthz`) and whether it may be given more (`/readyz`). */
export class Health {
  private state: 'starting' | 'started' | 'stopping' = 'starting';
  private server: Foundations['server'];
  private pings: Record<string, () => Promise<string>> = {};

  constructor(private readonly eventLoop: { worstMs(): number }) {}

  started({ database, queues, server }: Foundations): void {
    if (this.state === 'starting') this.state = 'started';
    this.server = server;
    this.pings = {
      database: remembered(pingMemoryMs, () => answerOf(database)),
      queue: remembered(pingMemoryMs, () => answerOf(queues)),
    };
  }

  stopping(): void {
    this.state = 'stopping';
  }

  /** Fails only when a restart would help: a broker or a database that is away comes back by itself. */
  live(): HealthReport {
    const stalledMs = this.eventLoop.worstMs();
    const progress = this.server?.progress();
    return report({
      event_loop: stalledMs < longestStallMs ? ok : `was blocked for ${seconds(stalledMs)}`,
      ...(progress && {
        queue_loop: progress.running ? ok : 'has stopped taking work',
        handlers:
          progress.oldestActiveMs < longestHandlerMs
            ? ok
            : `one has been running for ${seconds(progress.oldestActiveMs)}`,
      }),
    });
  }

  async ready(): Promise<HealthReport> {
    const names = Object.keys(this.pings);
    const answers = await Promise.all(Object.values(this.pings).map((ping) => ping()));
    return report({
      process: this.state === 'started' ? ok : this.state,
      ...Object.fromEntries(names.map((name, index) => [name, answers[index] ?? ok])),
    });
  }
}

const ok = 'ok';

const seconds = (milliseconds: number): string => `${Math.round(milliseconds / 1_000)} s`;

const report = (checks: Record<string, string>): HealthReport => ({
  healthy: Object.values(checks).every((check) => check === ok),
  checks,
});

/** Says only that it failed, not why: the gateway shows this to everyone. */
const answerOf = (foundation: Pingable): Promise<string> =>
  withTimeout(pingLimitMs, foundation.ping()).then(
    () => ok,
    () => 'does not answer',
  );
