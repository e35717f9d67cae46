import { withTimeout } from '@gangan/protocol';

export interface HealthReport {
  readonly healthy: boolean;
  /** Each check by name: `ok`, or what is wrong with it. */
  readonly checks: Readonly<Record<string, string>>;
}

export interface Pingable {
  ping(): Promise<void>;
}

/** What the health of a started process depends on. */
export interface Dependencies {
  readonly database: Pingable;
  readonly queues: Pingable;
  /** Absent in a process that only sends requests. */
  readonly server?: { progress(): { readonly running: boolean; readonly oldestActiveMs: number } };
}

const maxHandlerMs = 5 * 60_000;
const pingTimeoutMs = 2_000;
const pingIntervalMs = 500;

/** Whether this process works (`/healthz`) and whether it can take requests (`/readyz`). */
export class Health {
  private state: 'starting' | 'started' | 'stopping' = 'starting';
  private server: Dependencies['server'];
  private ping: () => Promise<Record<string, string>> = () => Promise.resolve({});

  started({ database, queues, server }: Dependencies): void {
    if (this.state === 'starting') this.state = 'started';
    this.server = server;
    this.ping = shareResult(pingIntervalMs, async () => {
      const [databasePing, queuePing] = await Promise.all([pingResult(database), pingResult(queues)]);
      return { database: databasePing, queue: queuePing };
    });
  }

  stopping(): void {
    this.state = 'stopping';
  }

  /**
   * Fails only if a restart would help; an unreachable broker or database needs none. A process with a blocked event loop
   * cannot answer at all: its watchdog ends it.
   */
  live(): HealthReport {
    const progress = this.server?.progress();
    return report({
      event_loop: ok,
      ...(progress && {
        queue_loop: progress.running ? ok : 'has stopped taking work',
        handlers:
          progress.oldestActiveMs < maxHandlerMs
            ? ok
            : `one has been running for ${seconds(progress.oldestActiveMs)}`,
      }),
    });
  }

  async ready(): Promise<HealthReport> {
    // At once: load balancers wait for it.
    if (this.state === 'stopping') return report({ process: this.state });
    const pings = await this.ping();
    return report({ process: this.state === 'started' ? ok : this.state, ...pings });
  }
}

const ok = 'ok';

const seconds = (milliseconds: number): string => `${Math.round(milliseconds / 1_000)} s`;

export const report = (checks: Record<string, string>): HealthReport => ({
  healthy: Object.values(checks).every((check) => check === ok),
  checks,
});

/** Does not say why a ping failed: the gateway shows the result to everyone. */
const pingResult = (dependency: Pingable): Promise<string> =>
  withTimeout(pingTimeoutMs, dependency.ping()).then(
    () => ok,
    () => 'does not answer',
  );

/** Runs `ask` at most once per interval and shares its result: probes and scrapes cost little, however many there are. */
export function shareResult<T>(intervalMs: number, ask: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  let askedAt = 0;
  return () => {
    const now = performance.now();
    if (result === undefined || now - askedAt >= intervalMs) {
      askedAt = now;
      result = ask();
    }
    return result;
  };
}
