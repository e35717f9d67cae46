import { Database, oldestUnanswered, sql, statement, t } from '@gangan/database';
import { Gauge, Periodic, Registry } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';

const intervalMs = 30_000;
const maxCounted = 100_000;

const countUnanswered = statement(
  { provider: t.text, deliveries: t.int },
  () => sql`
    SELECT coalesce(provider, '') AS provider, count(*)::int AS deliveries FROM ${oldestUnanswered(maxCounted)}
    GROUP BY 1`,
);

/** Counts the deliveries that a provider may have accepted: `pnpm admin messages unanswered` lists them. */
@Injectable()
export class UnansweredDeliveries {
  private readonly gauge: Gauge<'provider'>;

  constructor(
    private readonly database: Database,
    registry: Registry,
  ) {
    this.gauge = new Gauge({
      name: 'gangan_delivery_unanswered',
      help: 'Charged deliveries that a provider may have accepted, without an answer or a report',
      labelNames: ['provider'],
      registers: [registry],
    });
  }

  @Periodic('counting deliveries without an answer', intervalMs)
  async count(): Promise<boolean> {
    const counts = await this.database.run(countUnanswered);
    this.gauge.reset();
    for (const { provider, deliveries } of counts) this.gauge.set({ provider }, deliveries);
    return false;
  }
}
