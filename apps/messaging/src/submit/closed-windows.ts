import { Database, sql, statement, t } from '@gangan/database';
import { Injectable } from '@nestjs/common';
import { groupBy } from '../grouping.js';
import { ConversationWindows } from '../windows/conversation-windows.js';
import type { DueDelivery } from './claims.repository.js';

const findDelayedTexts = statement(
  { id: t.uuid },
  (ids: readonly string[]) => sql`
    SELECT named.id FROM unnest(${ids}::uuid[]) AS named (id) CROSS JOIN LATERAL (
      SELECT message_id FROM delivery WHERE id = named.id AND send_at IS NOT NULL LIMIT 1) AS delayed
    CROSS JOIN LATERAL (
      SELECT FROM message WHERE id = delayed.message_id AND template_id IS NULL LIMIT 1) AS free_text`,
);

/**
 * Finds deliveries whose window of WhatsApp has closed while they waited for their time. The windows of all others were
 * looked up when they were stored.
 */
@Injectable()
export class ClosedWindows {
  constructor(
    private readonly database: Database,
    private readonly windows: ConversationWindows,
  ) {}

  /** Looks only at first attempts: afterwards the provider decides. */
  async find(deliveries: readonly DueDelivery[]): Promise<ReadonlySet<DueDelivery>> {
    const first = deliveries.filter(
      ({ trafficClass, channel, attempt }) =>
        trafficClass === 'sms' && channel === 'whatsapp' && attempt === 0,
    );
    if (first.length === 0) return new Set();
    const ids = first.map(({ id }) => id);
    const delayed = new Set((await this.database.run(findDelayedTexts, ids)).map(({ id }) => id));
    const groups = groupBy(
      first.filter(({ id }) => delayed.has(id)),
      ({ organisationId, sender, category }) => JSON.stringify([organisationId, sender, category]),
    );
    const closed = await Promise.all([...groups.values()].map((group) => this.findIn(group)));
    return new Set(closed.flatMap((group) => [...group]));
  }

  private findIn([one, ...others]: readonly DueDelivery[]): Promise<ReadonlySet<DueDelivery>> {
    if (!one) return Promise.resolve(new Set());
    const { organisationId, mode, channel, sender, category } = one;
    const message = { organisationId, mode, channel, sender, category: category ?? 'transactional' } as const;
    return this.windows.findClosed({ ...message, hasTemplate: false }, [one, ...others]);
  }
}
