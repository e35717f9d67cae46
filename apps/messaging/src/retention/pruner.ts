import { AppLogger, Repeating } from '@gangan/runtime';
import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { MessagingConfig } from '../messaging.config.js';
import { RetentionRepository } from './retention.repository.js';

const restMs = 600_000;
const dayMs = 86_400_000;
/** Of one statement: a message may have a thousand deliveries, and others wait for what it locks. */
const mostRows = 500;
const mostOfMessages = { messages: 20, deliveries: mostRows };

/** Removes what is old. What it cost stays in the ledger. */
@Injectable()
export class Pruner implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly repeating: Repeating;

  constructor(
    private readonly repository: RetentionRepository,
    private readonly config: MessagingConfig,
    logger: AppLogger,
  ) {
    this.repeating = new Repeating('removing old messages', restMs, () => this.prune(), logger);
  }

  onApplicationBootstrap(): void {
    this.repeating.start();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.repeating.stop();
  }

  /** Tells whether there may be more. */
  async prune(): Promise<boolean> {
    const before = new Date(Date.now() - this.config.MESSAGES_KEPT_DAYS * dayMs);
    const rows = [
      await this.repository.removeClicks(before, mostRows),
      await this.repository.removeSimulated(before, mostRows),
    ];
    const { messages, deliveries } = await this.repository.removeMessages(before, mostOfMessages);
    return [...rows, deliveries].includes(mostRows) || messages === mostOfMessages.messages;
  }
}
