import { Periodic } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { MessagingConfig } from '../messaging.config.js';
import { RetentionRepository } from './retention.repository.js';

const restMs = 600_000;
const dayMs = 86_400_000;
/** Of one statement: a message may have a thousand deliveries, and others wait for what it locks. */
const mostAtOnce = 500;
const mostOfMessages = { messages: 20, deliveries: mostAtOnce };

/** Removes what is old. What it cost stays in the ledger. */
@Injectable()
export class Pruner {
  constructor(
    private readonly repository: RetentionRepository,
    private readonly config: MessagingConfig,
  ) {}

  /** Tells whether there may be more. */
  @Periodic('removing old messages', restMs)
  async prune(): Promise<boolean> {
    const before = new Date(Date.now() - this.config.MESSAGES_KEPT_DAYS * dayMs);
    const rows = [
      await this.repository.removeClicks(before, mostAtOnce),
      await this.repository.removeSimulated(before, mostAtOnce),
    ];
    const { messages, deliveries } = await this.repository.removeMessages(before, mostOfMessages);
    return [...rows, deliveries].includes(mostAtOnce) || messages === mostOfMessages.messages;
  }
}
