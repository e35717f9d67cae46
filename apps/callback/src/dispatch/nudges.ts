import { AppLogger } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { ClaimsRepository } from './claims.repository.js';
import { Dispatcher } from './dispatcher.js';

const mostAtOnce = 500;
const mostHeard = 10_000;

/** Hears which callbacks are due, and leads the dispatcher to their hosts. What it forgets is found overdue later. */
@Injectable()
export class Nudges {
  private readonly heard = new Set<string>();
  private passingOn = false;

  constructor(
    private readonly repository: ClaimsRepository,
    private readonly dispatcher: Dispatcher,
    private readonly logger: AppLogger,
  ) {}

  hear(id: string): void {
    if (this.heard.size >= mostHeard) return;
    this.heard.add(id);
    if (!this.passingOn) void this.passOn();
  }

  /** One question at a time; what is heard meanwhile shares the next. */
  private async passOn(): Promise<void> {
    this.passingOn = true;
    while (this.heard.size > 0) {
      const ids = [...this.heard].slice(0, mostAtOnce);
      for (const id of ids) this.heard.delete(id);
      try {
        this.dispatcher.wake(await this.repository.hostsOf(ids));
      } catch (error) {
        this.logger.warn({ err: error }, 'callbacks that are due will be found later');
      }
    }
    this.passingOn = false;
  }
}
