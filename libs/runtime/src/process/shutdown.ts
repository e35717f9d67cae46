import type { AppLogger } from '../logging/app-logger.js';

interface Closer {
  readonly what: string;
  readonly close: () => Promise<void>;
}

const forcedAfterMs = 28_000;

/** Closes what was opened, the last first, and ends the process whatever happens. */
export class Shutdown {
  private readonly closers: Closer[] = [];
  private requested: string | undefined;

  constructor(
    private readonly logger: AppLogger,
    private readonly onRequest: () => void,
    private readonly exit: (code: number) => void,
  ) {}

  get isRequested(): boolean {
    return this.requested !== undefined;
  }

  /** To be called as soon as something is open that must be closed in good order. */
  closes(what: string, close: () => Promise<void>): void {
    this.closers.push({ what, close });
  }

  /** The first request drains; the same one again means: now. */
  request(reason: string): void {
    if (this.requested === undefined) {
      this.requested = reason;
      void this.drain(reason);
    } else if (this.requested === reason) {
      this.logger.warn({ reason }, 'asked to stop twice: stopping at once');
      this.exit(1);
    }
  }

  private async drain(reason: string): Promise<void> {
    const startedAt = performance.now();
    this.logger.info({ reason }, 'stopping: finishing what has begun');
    this.onRequest();
    setTimeout(() => {
      this.logger.fatal({ stillOpen: this.closers.map(({ what }) => what) }, 'did not stop in time: forced');
      this.exit(1);
    }, forcedAfterMs).unref();
    await this.closeAll();
    this.logger.info({ seconds: Math.round((performance.now() - startedAt) / 100) / 10 }, 'stopped');
    this.exit(0);
  }

  private async closeAll(): Promise<void> {
    const last = this.closers.at(-1);
    if (!last) return;
    await last.close().catch((error: unknown) => {
      this.logger.warn({ err: error, what: last.what }, 'could not be closed in good order');
    });
    this.closers.splice(this.closers.indexOf(last), 1);
    await this.closeAll();
  }
}
