import { command, Database, sql } from '@gangan/database';
import { Periodic } from '@gangan/runtime';
import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';

const writeIntervalMs = 5_000;

interface Count {
  requests: number;
  /** The bytes of the responses that were stored for these requests. */
  bytes: number;
}

/**
 * Counts the requests of each organisation, and the bytes of its stored responses.
 *
 * A request neither writes nor locks a counter, because all requests of an organisation would wait for that row. Each
 * gateway adds up what it counts, and writes the sums of all its organisations in one statement every few seconds, to a
 * row per organisation and hour. What a gateway that crashes has not written is not counted.
 */
@Injectable()
export class ResponseTally implements BeforeApplicationShutdown {
  private unwritten = new Map<string, Count>();

  constructor(private readonly database: Database) {}

  countRequest(organisationId: string): void {
    this.add(organisationId, { requests: 1, bytes: 0 });
  }

  countBytes(organisationId: string, bytes: number): void {
    this.add(organisationId, { requests: 0, bytes });
  }

  unwrittenBytes(organisationId: string): number {
    return this.unwritten.get(organisationId)?.bytes ?? 0;
  }

  async beforeApplicationShutdown(): Promise<void> {
    // If the database is unavailable, these few seconds are not counted.
    await this.write().catch(() => undefined);
  }

  @Periodic('counting requests and stored responses', writeIntervalMs)
  async write(): Promise<boolean> {
    const written = this.unwritten;
    if (written.size === 0) return false;
    this.unwritten = new Map();
    try {
      await this.database.run(addCounts, [...written]);
    } catch (error) {
      for (const [organisationId, count] of written) this.add(organisationId, count);
      throw error;
    }
    return false;
  }

  private add(organisationId: string, { requests, bytes }: Count): void {
    const count = this.unwritten.get(organisationId);
    if (count) {
      count.requests += requests;
      count.bytes += bytes;
    } else this.unwritten.set(organisationId, { requests, bytes });
  }
}

/** Always in the same order, so that gateways that write at the same time do not deadlock. */
const addCounts = command(
  (counts: readonly (readonly [organisationId: string, count: Count])[]) => sql`
    INSERT INTO response_tally AS tally (organisation_id, hour, requests, bytes)
    SELECT counted.organisation_id, date_trunc('hour', now()), counted.requests, counted.bytes
    FROM unnest(${counts.map(([id]) => id)}::uuid[], ${counts.map(([, { requests }]) => requests)}::bigint[],
      ${counts.map(([, { bytes }]) => bytes)}::bigint[]) AS counted (organisation_id, requests, bytes)
    ORDER BY counted.organisation_id
    ON CONFLICT (organisation_id, hour) DO UPDATE
      SET requests = tally.requests + excluded.requests, bytes = tally.bytes + excluded.bytes`,
  { samples: [[[]]] },
);
