import { setTimeout as pause } from 'node:timers/promises';
import type { AppLogger } from '../logging/logger.js';

/** One run of a periodic task. @returns whether there is more to do at once */
export type Round = () => Promise<boolean>;

/**
 * Runs a function at intervals until it is stopped. Every process runs its own, so the intervals vary. A failed round is
 * retried after the next interval; only the first of several failures is logged.
 */
export class PeriodicTask {
  private readonly stopping = new AbortController();
  private running: Promise<void> | undefined;
  private failing = false;

  constructor(
    private readonly name: string,
    private readonly intervalMs: number,
    private readonly round: Round,
    private readonly logger: Pick<AppLogger, 'info' | 'warn'>,
  ) {}

  start(): void {
    this.running ??= this.run();
  }

  /** Waits for the round in progress. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      if (await this.attempt()) continue;
      const delayMs = this.intervalMs * (0.5 + Math.random());
      await pause(delayMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  private async attempt(): Promise<boolean> {
    try {
      const more = await this.round();
      if (this.failing) this.logger.info({ task: this.name }, 'works again');
      this.failing = false;
      return more;
    } catch (error) {
      if (!this.failing) this.logger.warn({ task: this.name, err: error }, 'failed; it will be retried');
      this.failing = true;
      return false;
    }
  }
}
