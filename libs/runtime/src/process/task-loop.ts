import type { AppLogger } from '../logging/logger.js';

/** One run of a task. `signal` asks it to end early. @returns whether there is more to do at once */
export type TaskStep = (signal: AbortSignal) => Promise<boolean>;

/** Runs a task until it has nothing more to do, or fails. Only the first of several failures is logged. */
export class TaskLoop {
  private failing = false;

  constructor(
    private readonly name: string,
    private readonly step: TaskStep,
    private readonly logger: Pick<AppLogger, 'info' | 'warn'>,
  ) {}

  /** Never fails. `signal` asks it to end early. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && (await this.attempt(signal)));
  }

  private async attempt(signal: AbortSignal): Promise<boolean> {
    try {
      const more = await this.step(signal);
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
