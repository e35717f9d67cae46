import { type PriceList, Prices } from '@gangan/billing';
import type { MessageCategory, SmartlistRow } from '@gangan/contracts';
import { LeasedJobRunner } from '@gangan/leases';
import { newContext, runInContext } from '@gangan/protocol';
import { AppLogger } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { DeliveryAnnouncer } from '../schedule/delivery-announcer.js';
import { MessageTexts } from '../text/message-text.js';
import { noPrice, windowClosed } from '../outcome/reasons.js';
import { SendingRulesCache } from '../sending-rules.js';
import { ConversationWindows, type WindowedMessage } from '../windows/conversation-windows.js';
import { AudienceRepository } from './audience.repository.js';
import { type ClaimedExpansion, isExpansionOpen } from './expansion-lease.js';
import { deliveriesOfRows, type ListedMessage, type RowResults } from './row-deliveries.js';
import { type ChargedRows, RowPrices } from './row-prices.js';
import { SmartlistPricing } from './smartlist-pricing.js';
import { SmartlistReader } from './smartlist-reader.js';
import type { SmartlistDraft } from './text-bound.js';

/** How many rows a page has, and how many pages are read before the next message gets its turn. */
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
    private readonly pricing: SmartlistPricing,
    private readonly rules: SendingRulesCache,
  ) {}

  /** Expands a slice of the list, or the rest of it. `signal` asks it to end early. @throws LeaseLostError */
  async runSlice(claimed: ClaimedExpansion, signal: AbortSignal, slice = defaultSlice): Promise<void> {
    const { lastRowId, ...body } = await this.repository.findProgress(claimed);
    const { messageId: id, organisationId } = claimed;
    const { requestId } = body;
    const message = { ...body, id, organisationId, body };
    const context = newContext({ requestId, operationId: id, organisationId });
    const opened = body.list === '' ? await runInContext(context, () => this.open(claimed, message)) : body;
    if ('reason' in opened) return this.repository.fail(claimed, opened.reason);
    const { list } = opened;
    let [after, rowsBefore] = [lastRowId ?? undefined, body.rows];
    for (let page = 0; page < slice.pages && !signal.aborted; page += 1) {
      const { rows, more } = await runInContext(context, () =>
        this.reader.read({ list, limit: slice.rows, ...(after !== undefined && { after }) }),
      );
      const last = rows.at(-1);
      if (last) {
        const results = await this.readRows(rows, message, rowsBefore);
        const step = { ...results, rows: rows.length, lastRowId: last.id, message };
        const deliveryIds = await this.repository.advance(claimed, step);
        [after, rowsBefore] = [last.id, rowsBefore + rows.length];
        await runInContext(context, () => this.announcer.announce({ organisationId, deliveryIds }));
      }
      if (!more) return this.repository.finish(claimed);
    }
    await this.repository.release(claimed);
  }

  private async readRows(
    rows: readonly SmartlistRow[],
    message: ScheduledSmartlist & WindowedMessage & ListedMessage,
    rowsBefore: number,
  ): Promise<RowResults> {
    const { organisationId } = message;
    const { countries } = await this.rules.get(organisationId);
    const results = await this.prices.apply(
      organisationId,
      (list) => {
        const prices = rowPricesOf(message, list);
        return deliveriesOfRows(rows, message, this.texts, prices, countries, rowsBefore);
      },
      ({ rejected }) => [...rejected.values()].includes(noPrice),
    );
    const { deliveries, rejected } = results;
    const closed = await this.windows.findClosed(
      message,
      deliveries.filter((delivery) => !rejected.has(delivery)),
    );
    const allRejected = [...rejected, ...[...closed].map((delivery) => [delivery, windowClosed] as const)];
    return { ...results, rejected: new Map(allRejected) };
  }

  /** Opens the list of a scheduled message at its time. The list, or a column of its text, may be gone by then. */
  private async open(
    claimed: ClaimedExpansion,
    message: ScheduledSmartlist,
  ): Promise<{ readonly list: string } | { readonly reason: string }> {
    const { smartlistId, phoneColumn, channel, body, trackable } = message;
    const request = {
      smartlist_id: smartlistId ?? '',
      ...(phoneColumn !== null && { phone_column: phoneColumn }),
    };
    const draft = { channel, body, source: 'content', faults: [] };
    const prices = rowPricesOf(message, await this.prices.of(message.organisationId));
    const { list = '', kobo, faults } = await this.pricing.price(request, draft, trackable, prices);
    const [fault] = faults;
    if (fault) return { reason: fault.message };
    await this.repository.open(claimed, list, kobo);
    return { list };
  }
}

const rowPricesOf = ({ channel, category, charged }: ScheduledSmartlist, list: PriceList): RowPrices =>
  new RowPrices(list.tableOf(channel, category), charged ?? undefined);

interface ScheduledSmartlist extends Omit<SmartlistDraft, 'source'> {
  readonly organisationId: string;
  readonly smartlistId: string | null;
  readonly phoneColumn: string | null;
  readonly trackable: boolean;
  readonly charged: ChargedRows | null;
  readonly category: MessageCategory;
}

const stalled = 'The smartlist could not be read for about a day';

@Injectable()
export class AudienceRunner extends LeasedJobRunner<ClaimedExpansion> {
  constructor(service: AudienceService, repository: AudienceRepository, logger: AppLogger) {
    super(
      {
        name: 'expansion',
        concurrency: 2,
        // With the delays, this is about a day.
        maxStalls: 150,
        maxDelayMs: 600_000,
        isDue: isExpansionOpen,
        describe: ({ messageId, organisationId }) => ({ message: messageId, organisationId }),
        claimNext: () => repository.claimNext(),
        runSlice: (claimed, signal) => service.runSlice(claimed, signal),
        release: (claimed, delayMs) => repository.release(claimed, delayMs),
        fail: (claimed) => repository.fail(claimed, stalled),
      },
      logger,
    );
  }
}
