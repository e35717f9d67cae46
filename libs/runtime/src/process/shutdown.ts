import type { AppLogger } from '../logging/logger.js';

const shutdownTimeoutMs = 28_000;

/** Closes everything that was opened, in reverse order, and ends the process in any case. */
export class Shutdown {
  private readonly closers: { readonly what: string; readonly close: () => Promise<void> }[] = [];
  private requested: string | undefined;

  constructor(
    private readonly logger: AppLogger,
    private readonly onRequest: () => void,
    private readonly exit: (code: number) => void,
  ) {}

  get isRequested(): boolean {
    return this.requested !== undefined;
  }

  /** Call it as soon as something is open that has to be closed. */
  closes(what: string, close: () => Promise<void>): void {
    this.closers.push({ what, close });
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
      this.logger.fatal({ stillOpen: this.closers.map(({ what }) => what) }, 'did not stop in time: exiting');
      this.exit(1);
    }, shutdownTimeoutMs).unref();
    await this.closeAll();
    this.logger.info({ seconds: Math.round((performance.now() - startedAt) / 100) / 10 }, 'stopped');
    this.exit(0);
  }

  private async closeAll(): Promise<void> {
    const last = this.closers.at(-1);
    if (!last) return;
    await last.close().catch((error: unknown) => {
      this.logger.warn({ err: error, what: last.what }, 'could not be closed');
    });
    this.closers.splice(this.closers.indexOf(last), 1);
    await this.closeAll();
  }
}
