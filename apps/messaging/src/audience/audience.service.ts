import { Prices } from '@gangan/billing';
import { LeasedJobRunner } from '@gangan/leases';
import { newContext, runInContext } from '@gangan/protocol';
import { AppLogger } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { DeliveryAnnouncer } from '../schedule/delivery-announcer.js';
import { MessageTexts } from '../text/message-text.js';
import { ConversationWindows } from '../windows/conversation-windows.js';
import { AudienceRepository } from './audience.repository.js';
import type { ClaimedExpansion } from './expansion-lease.js';
import { deliveriesOfRows } from './row-deliveries.js';
import { SmartlistReader } from './smartlist-reader.js';

/** Rows that are read and stored together, and pages of them before the next message gets its turn. */
const defaultSlice = { rows: 500, pages: 20 };

@Injectable()
export class AudienceService {
  constructor(
    private readonly repository: AudienceRepository,
    private readonly reader: SmartlistReader,
    private readonly texts: MessageTexts,
    private readonly prices: Prices,
    private readonly windows: ConversationWindows,
    private readonly announcer: DeliveryAnnouncer,
  ) {}

  /** Expands a slice of the list, or the rest of it. `signal` asks it to end early. @throws LeaseLostError */
  async runSlice(claimed: ClaimedExpansion, signal: AbortSignal, slice = defaultSlice): Promise<void> {
    const { list, lastRowId, ...body } = await this.repository.findProgress(claimed);
    const { messageId: id, organisationId } = claimed;
    const { requestId } = body;
    const message = { ...body, id, organisationId, body };
    const context = newContext({ requestId, operationId: id, organisationId });
    let after = lastRowId ?? undefined;
    for (let page = 0; page < slice.pages && !signal.aborted; page += 1) {
      const { rows, more } = await runInContext(context, () =>
        this.reader.read({ list, limit: slice.rows, ...(after !== undefined && { after }) }),
      );
      const last = rows.at(-1);
      if (last) {
        const results = await deliveriesOfRows(
          rows,
          message,
          this.texts,
          await this.prices.of(organisationId),
        );
        const closed = await this.windows.findClosed(message, results.deliveries);
        const step = { ...results, closed, rows: rows.length, lastRowId: last.id, message };
        const deliveryIds = await this.repository.advance(claimed, step);
        after = last.id;
        await runInContext(context, () => this.announcer.announce({ organisationId, deliveryIds }));
      }
      if (!more) return this.repository.finish(claimed, 'done');
    }
    await this.repository.release(claimed);
  }
}

@Injectable()
export class AudienceRunner extends LeasedJobRunner<ClaimedExpansion> {
  constructor(service: AudienceService, repository: AudienceRepository, logger: AppLogger) {
    super(
      {
        name: 'expansion',
        concurrency: 2,
        // With the delays, about a day.
        maxStalls: 150,
        maxDelayMs: 600_000,
        describe: ({ messageId, organisationId }) => ({ message: messageId, organisationId }),
        claimNext: () => repository.claimNext(),
        runSlice: (claimed, signal) => service.runSlice(claimed, signal),
        release: (claimed, delayMs) => repository.release(claimed, delayMs),
        fail: (claimed) => repository.finish(claimed, 'failed'),
      },
      logger,
    );
  }
}
