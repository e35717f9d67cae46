import { AppLogger } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { ClaimsRepository } from './claims.repository.js';
import { Dispatcher } from './dispatcher.js';

const maxBatch = 500;
const maxWaiting = 10_000;

/** Collects the ids of announced callbacks and passes their hosts to the dispatcher. The sweeper finds dropped ones. */
@Injectable()
export class DueCallbacks {
  private readonly ids = new Set<string>();
  private isRunning = false;

  constructor(
    private readonly repository: ClaimsRepository,
    private readonly dispatcher: Dispatcher,
    private readonly logger: AppLogger,
  ) {}

  add(ids: readonly string[]): void {
    for (const id of ids) if (this.ids.size < maxWaiting) this.ids.add(id);
    if (!this.isRunning) void this.run();
  }

  /** Sends one statement at a time; ids that arrive meanwhile share the next one. */
  private async run(): Promise<void> {
    this.isRunning = true;
    while (this.ids.size > 0) {
      const ids = [...this.ids].slice(0, maxBatch);
      for (const id of ids) this.ids.delete(id);
      try {
        this.dispatcher.add(await this.repository.findHosts(ids));
      } catch (error) {
        this.logger.warn({ err: error }, 'due callbacks could not be read; the sweeper finds them later');
      }
    }
    this.isRunning = false;
  }
}
