import { Database, RefreshedCache, responseUsage, sql, statement, t } from '@gangan/database';
import { Injectable } from '@nestjs/common';
import { GatewayConfig } from '../gateway.config.js';
import { ResponseTally } from '../storage/response-tally.js';

const keptMs = 30_000;

interface Usage {
  readonly max: number;
  /** The bytes of all gateways at the last read, plus what this gateway has stored since. */
  bytes: number;
}

/**
 * Limits the bytes of stored responses per organisation. A gateway keeps the sum of an organisation for up to 30 s and adds
 * what it stores itself. So a quota can be exceeded by what other gateways store in that time.
 */
@Injectable()
export class ResponseQuota {
  private readonly usage: RefreshedCache<Usage>;

  constructor(
    database: Database,
    private readonly tally: ResponseTally,
    { RESPONSE_BYTES: defaultMax }: GatewayConfig,
  ) {
    this.usage = new RefreshedCache(keptMs, async (organisationId): Promise<Usage> => {
      const [found] = await database.run(findResponseUsage, organisationId, defaultMax);
      return {
        max: Number(found?.max ?? Infinity),
        bytes: Number(found?.bytes ?? 0) + tally.unwrittenBytes(organisationId),
      };
    });
  }

  async isUsedUp(organisationId: string): Promise<boolean> {
    const { max, bytes } = await this.usage.get(organisationId);
    return bytes >= max;
  }

  count(organisationId: string, bytes: number): void {
    if (bytes === 0) return;
    this.tally.countBytes(organisationId, bytes);
    const usage = this.usage.cached(organisationId);
    if (usage) usage.bytes += bytes;
  }
}

const findResponseUsage = statement(
  { max: t.nullable(t.bigint), bytes: t.bigint },
  (organisationId: string, defaultMax: number) => sql`
    SELECT nullif(coalesce(response_bytes, ${defaultMax}::bigint), 0) AS max,
      (${responseUsage(sql`organisation.id`)}) AS bytes
    FROM organisation WHERE id = ${organisationId}::uuid`,
);
