import { Database, RefreshedCache, sql, statement, t } from '@gangan/database';
import { quotaExceeded } from '@gangan/protocol';
import { Injectable } from '@nestjs/common';
import { MessagingConfig } from '../messaging.config.js';

const keptMs = 5_000;

interface Found {
  /** The limit, if it is reached. */
  readonly reached: number | undefined;
}

/**
 * Limits the incoming messages that a test organisation stores. They are deleted with its other messages, after months.
 * Each worker counts at most every few seconds per organisation, so what is played meanwhile may exceed the limit.
 */
@Injectable()
export class SimulatorQuota {
  private readonly found: RefreshedCache<Found>;

  constructor(
    database: Database,
    private readonly config: MessagingConfig,
  ) {
    this.found = new RefreshedCache(keptMs, async (organisationId): Promise<Found> => {
      const [found] = await database.run(findReachedLimit, organisationId, config.SIMULATED_MESSAGES);
      return { reached: found?.max };
    });
  }

  /** @throws AppError 403 */
  async check(organisationId: string): Promise<void> {
    const { reached } = await this.found.get(organisationId);
    if (reached === undefined) return;
    const days = this.config.MESSAGES_KEPT_DAYS;
    throw quotaExceeded(
      'simulated_messages',
      reached,
      `Wait until older messages are deleted, at the latest after ${days} days`,
    );
  }
}

/** The limit, if it is reached. It counts in an index, up to the limit. */
const findReachedLimit = statement(
  { max: t.int },
  (organisationId: string, defaultMax: number) => sql`
    SELECT quota.max FROM organisation
    CROSS JOIN LATERAL (SELECT nullif(coalesce(simulated_messages, ${defaultMax}::int), 0) AS max) AS quota
    WHERE organisation.id = ${organisationId} AND quota.max IS NOT NULL AND quota.max <= (
      SELECT count(*) FROM (
        SELECT FROM incoming_message WHERE organisation_id = organisation.id LIMIT quota.max) AS stored)`,
);
