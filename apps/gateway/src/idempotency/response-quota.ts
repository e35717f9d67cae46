import { command, Database, RefreshedCache, responseUsage, sql, statement, t } from '@gangan/database';
import { Periodic } from '@gangan/runtime';
import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { GatewayConfig } from '../gateway.config.js';

const keptMs = 30_000;
const writeIntervalMs = 5_000;
const pruneIntervalMs = 3_600_000;
const maxPruned = 500;

interface Usage {
  readonly max: number;
  /** Those of all gateways at the last read, plus those of this gateway since. */
  bytes: number;
}

/**
 * Limits the bytes of stored responses per organisation.
 *
 * A request neither writes nor locks a counter, because all requests of an organisation would wait for that row. Each
 * gateway adds up what it stores, and writes the sums of all its organisations in one statement every few seconds, to a
 * row per organisation and hour. It keeps the sum of an organisation for up to 30 s and adds what it stores itself. So a
 * quota can be exceeded by what other gateways store in that time, and what a gateway that crashes has not written is not
 * counted.
 */
@Injectable()
export class ResponseQuota implements BeforeApplicationShutdown {
  private readonly usage: RefreshedCache<Usage>;
  private unwritten = new Map<string, number>();

  constructor(
    private readonly database: Database,
    { RESPONSE_BYTES: defaultMax }: GatewayConfig,
  ) {
    this.usage = new RefreshedCache(keptMs, async (organisationId): Promise<Usage> => {
      const [found] = await database.run(findResponseUsage, organisationId, defaultMax);
      return {
        max: Number(found?.max ?? Infinity),
        bytes: Number(found?.bytes ?? 0) + (this.unwritten.get(organisationId) ?? 0),
      };
    });
  }

  async isUsedUp(organisationId: string): Promise<boolean> {
    const { max, bytes } = await this.usage.get(organisationId);
    return bytes >= max;
  }

  count(organisationId: string, bytes: number): void {
    if (bytes === 0) return;
    this.unwritten.set(organisationId, (this.unwritten.get(organisationId) ?? 0) + bytes);
    const usage = this.usage.cached(organisationId);
    if (usage) usage.bytes += bytes;
  }

  async beforeApplicationShutdown(): Promise<void> {
    // If the database is away, these few seconds are not counted.
    await this.write().catch(() => undefined);
  }

  @Periodic('counting stored responses', writeIntervalMs)
  async write(): Promise<boolean> {
    const written = this.unwritten;
    if (written.size === 0) return false;
    this.unwritten = new Map();
    try {
      await this.database.run(addResponseBytes, [...written]);
    } catch (error) {
      for (const [organisationId, bytes] of written)
        this.unwritten.set(organisationId, (this.unwritten.get(organisationId) ?? 0) + bytes);
      throw error;
    }
    return false;
  }

  /** Gateways may run it concurrently. */
  @Periodic('removing old counts of stored responses', pruneIntervalMs)
  async prune(): Promise<boolean> {
    return (await this.database.run(deleteOldTallies, maxPruned)) === maxPruned;
  }
}

const findResponseUsage = statement(
  { max: t.nullable(t.bigint), bytes: t.bigint },
  (organisationId: string, defaultMax: number) => sql`
    SELECT nullif(coalesce(response_bytes, ${defaultMax}::bigint), 0) AS max,
      (${responseUsage(sql`organisation.id`)}) AS bytes
    FROM organisation WHERE id = ${organisationId}::uuid`,
);

type Count = readonly [organisationId: string, bytes: number];

/** Always in the same order, so that gateways that write at the same time do not deadlock. */
const addResponseBytes = command(
  (counts: readonly Count[]) => sql`
    INSERT INTO response_tally AS tally (organisation_id, hour, bytes)
    SELECT counted.organisation_id, date_trunc('hour', now()), counted.bytes
    FROM unnest(${counts.map(([id]) => id)}::uuid[], ${counts.map(([, bytes]) => bytes)}::bigint[])
      AS counted (organisation_id, bytes)
    ORDER BY counted.organisation_id
    ON CONFLICT (organisation_id, hour) DO UPDATE SET bytes = tally.bytes + excluded.bytes`,
  { samples: [[[]]] },
);

const deleteOldTallies = command(
  (limit: number) => sql`
    DELETE FROM response_tally WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM response_tally WHERE hour <= now() - interval '25 hours'
      ORDER BY hour LIMIT ${limit} FOR UPDATE SKIP LOCKED))`,
);
