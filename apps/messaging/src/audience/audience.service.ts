import { Prices } from '@gangan/billing';
import { newContext, runInContext } from '@gangan/protocol';
import { Injectable } from '@nestjs/common';
import { DeliveryAnnouncer } from '../schedule/delivery-announcer.js';
import { MessageTexts } from '../text/message-text.js';
import { deliveriesOf } from './row-deliveries.js';
import { ExpansionRepository } from './audience.repository.js';
import { type Held, LeasesRepository } from './leases.repository.js';
import { SmartlistReader } from './smartlist-reader.js';

export interface Pace {
  /** What is read and stored together. */
  readonly rows: number;
  /** After so many of these the next message has its turn. */
  readonly pages: number;
}

const usualPace: Pace = { rows: 500, pages: 20 };

/** Makes deliveries of smartlists. */
@Injectable()
export class ExpansionService {
  constructor(
    private readonly repository: ExpansionRepository,
    private readonly leases: LeasesRepository,
    private readonly reader: SmartlistReader,
    private readonly texts: MessageTexts,
    private readonly prices: Prices,
    private readonly announcer: DeliveryAnnouncer,
  ) {}

  /** A turn's worth of rows, or up to the end. `signal` asks to leave off early. @throws LeaseLostError */
  async carryOn(held: Held, signal: AbortSignal, pace = usualPace): Promise<void> {
    const { list, requestId, lastRowId, ...body } = await this.repository.progress(held);
    const { messageId: id, organisationId } = held;
    const message = { ...body, id, body };
    const context = newContext({ requestId, operationId: id, organisationId });
    let after = lastRowId ?? undefined;
    for (let page = 0; page < pace.pages && !signal.aborted; page += 1) {
      const { rows, more } = await runInContext(context, () =>
        this.reader.read({ list, limit: pace.rows, ...(after !== undefined && { after }) }),
      );
      const last = rows.at(-1);
      if (last) {
        const outcome = await deliveriesOf(rows, message, this.texts, await this.prices.current());
        const step = { ...outcome, rows: rows.length, lastRowId: last.id };
        const deliveryIds = await this.repository.advance(held, step);
        after = last.id;
        await runInContext(context, () => this.announcer.announce({ organisationId, deliveryIds }));
      }
      if (!more) return this.repository.finish(held, 'done');
    }
    await this.leases.giveBack(held);
  }
}
