import { Periodic } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { MessagingConfig } from '../messaging.config.js';
import { RetentionRepository } from './retention.repository.js';

const intervalMs = 600_000;
const dayMs = 86_400_000;
/** Rows per statement: a message can have a thousand deliveries, and others wait for the locks. */
const maxRows = 500;
const maxMessages = 20;

/** Removes old messages. Their charges stay in the ledger. */
@Injectable()
export class RetentionService {
  constructor(
    private readonly repository: RetentionRepository,
    private readonly config: MessagingConfig,
  ) {}

  /** @returns whether more may be left */
  @Periodic('removing old messages', intervalMs)
  async prune(): Promise<boolean> {
    const before = new Date(Date.now() - this.config.MESSAGES_KEPT_DAYS * dayMs);
    const clicks = await this.repository.removeClicks(before, maxRows);
    const simulated = await this.repository.removeSimulated(before, maxRows);
    const { messages, deliveries } = await this.repository.removeMessages(before, {
      messages: maxMessages,
      deliveries: maxRows,
    });
    return [clicks, simulated, deliveries].includes(maxRows) || messages === maxMessages;
  }
}
