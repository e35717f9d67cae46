import type { AppLogger } from '../logging/logger.js';

const shutdownTimeoutMs = 28_000;

/** Closes what was opened, in reverse order. */
class Closers {
  private readonly closers: { readonly what: string; readonly close: () => Promise<void> }[] = [];

  constructor(private readonly logger: AppLogger) {}

  get stillOpen(): string[] {
    return this.closers.map(({ what }) => what);
  }

  closes(what: string, close: () => Promise<void>): void {
    this.closers.push({ what, close });
  }

  async closeAll(): Promise<void> {
    const last = this.closers.at(-1);
    if (!last) return;
    await last.close().catch((error: unknown) => {
      this.logger.warn({ err: error, what: last.what }, 'could not be closed');
    });
    this.closers.splice(this.closers.indexOf(last), 1);
    await this.closeAll();
  }
}

/** The shutdown of the process, as one of its apps sees it. */
export interface AppShutdown {
  readonly isRequested: boolean;
  /** Call it as soon as something is open that has to be closed. */
  closes(what: string, close: () => Promise<void>): void;
}

/** Stops all apps of the process at the same time, then closes what the process has opened, and exits in any case. */
export class Shutdown {
  private readonly apps = new Map<string, Closers>();
  private readonly own: Closers;
  private requested: string | undefined;

  constructor(
    private readonly logger: AppLogger,
    private readonly onRequest: () => void,
    private readonly exit: (code: number) => void,
  ) {
    this.own = new Closers(logger);
  }

  get isRequested(): boolean {
    return this.requested !== undefined;
  }

  /** Closes what the process itself opens, after all apps. */
  closes(what: string, close: () => Promise<void>): void {
    this.own.closes(what, close);
  }

  /** The part of the shutdown that closes what an app opens. */
  ofApp(app: string, logger: AppLogger): AppShutdown {
    const closers = new Closers(logger);
    this.apps.set(app, closers);
    const isRequested = (): boolean => this.isRequested;
    return {
      get isRequested() {
        return isRequested();
      },
      closes: (what, close) => {
        closers.closes(what, close);
      },
    };
  }

  /** The first request drains; a second one with the same reason exits at once. */
  request(reason: string): void {
    if (this.requested === undefined) {
      this.requested = reason;
      void this.drain(reason);
    } else if (this.requested === reason) {
      this.logger.warn({ reason }, 'asked to stop twice: exiting at once');
      this.exit(1);
    }
  }

  private async drain(reason: string): Promise<void> {
    const startedAt = performance.now();
    this.logger.info({ reason }, 'stopping: finishing work in flight');
    this.onRequest();
    setTimeout(() => {
      this.logger.fatal({ stillOpen: this.stillOpen() }, 'did not stop in time: exiting');
      this.exit(1);
    }, shutdownTimeoutMs).unref();
    await Promise.all([...this.apps.values()].map((closers) => closers.closeAll()));
    await this.own.closeAll();
    this.logger.info({ seconds: Math.round((performance.now() - startedAt) / 100) / 10 }, 'stopped');
    this.exit(0);
  }

  private stillOpen(): string[] {
    const ofApps = [...this.apps].flatMap(([app, { stillOpen }]) =>
      stillOpen.map((what) => `${app}: ${what}`),
    );
    return [...this.own.stillOpen, ...ofApps];
  }
}
