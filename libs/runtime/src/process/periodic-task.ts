import { setTimeout as pause } from 'node:timers/promises';
import type { AppLogger } from '../logging/app-logger.js';

/** Whether there is more to do at once. */
export type Round = () => Promise<boolean>;

/**
 * Does something again and again while the app runs: sweeping, pruning. Every instance does it, so the rests are of
 * uneven length. What fails is tried again after the next rest, and told once, not every time.
 */
export class PeriodicTask {
  private readonly stopping = new AbortController();
  private running: Promise<void> | undefined;
  private failing = false;

  constructor(
    private readonly what: string,
    private readonly restMs: number,
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
      const more = await this.attempt();
      if (more) continue;
      const rest = this.restMs * (0.5 + Math.random());
      await pause(rest, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  private async attempt(): Promise<boolean> {
    try {
      const more = await this.round();
      if (this.failing) this.logger.info({ what: this.what }, 'works again');
      this.failing = false;
      return more;
    } catch (error) {
      if (!this.failing) this.logger.warn({ what: this.what, err: error }, 'failed; it is tried again');
      this.failing = true;
      return false;
    }
  }
}
