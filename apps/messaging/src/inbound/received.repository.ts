import { command, Database, sql, statement, StatementLoader, t, unnest } from '@gangan/database';
import { newId } from '@gangan/protocol';
import { InboundContents } from '@gangan/providers';
import { Injectable } from '@nestjs/common';
import type { ClaimedRequest } from './inbound.repository.js';
import type { GenuineRequest } from './inbound-verifier.js';

interface NewRow extends Omit<GenuineRequest, 'content'> {
  readonly id: string;
  readonly sealed: Buffer;
}

/** A request that was stored as unverified and is genuine. */
export interface VerifiedRow extends NewRow {
  readonly attempt: number;
}

/**
 * Sorted, so that two batches with the same requests do not deadlock. The time is truncated, because the column would
 * round it up and the row would not be due yet.
 */
const insertRequests = statement(
  { id: t.uuid },
  (rows: readonly NewRow[]) => sql`
    INSERT INTO inbound_request (id, provider, digest, method, content_type, sealed_content, next_attempt_at)
    SELECT id, provider, digest, method, content_type, sealed, date_trunc('milliseconds', now())
    FROM ${unnest('new', rows, {
      uuid: ['id'],
      text: ['provider', 'method', 'contentType'],
      bytea: ['digest', 'sealed'],
    })}
    ORDER BY provider, digest
    ON CONFLICT DO NOTHING RETURNING id`,
);

/** Skips a request that is stored already: the provider has sent it again. */
const markVerified = statement(
  { id: t.uuid },
  (rows: readonly VerifiedRow[]) => sql`
    UPDATE inbound_request AS own SET digest = given.digest, content_type = given.content_type,
      sealed_content = given.sealed, unverified_bytes = NULL
    FROM ${unnest('given', rows, {
      uuid: ['id'],
      int: ['attempt'],
      text: ['provider', 'contentType'],
      bytea: ['digest', 'sealed'],
    })}
    WHERE own.id = ANY (${rows.map(({ id }) => id)}::uuid[]) AND own.id = given.id AND own.attempt = given.attempt
      AND own.state::text = 'received'
      AND (SELECT stored.id FROM inbound_request AS stored
        WHERE stored.provider = given.provider AND stored.digest = given.digest LIMIT 1) IS NULL
    RETURNING own.id`,
);

const removeUnverified = command(
  (rows: readonly Pick<ClaimedRequest, 'id' | 'attempt'>[]) => sql`
    DELETE FROM inbound_request AS own USING ${unnest('given', rows, { uuid: ['id'], int: ['attempt'] })}
    WHERE own.id = ANY (${rows.map(({ id }) => id)}::uuid[]) AND own.id = given.id AND own.attempt = given.attempt
      AND own.state::text = 'received'`,
);

/** Stores requests that were verified. */
@Injectable()
export class ReceivedRepository {
  private readonly inserting = new StatementLoader((rows: readonly NewRow[]) => this.insert(rows));

  constructor(
    private readonly database: Database,
    private readonly contents: InboundContents,
  ) {}

  /** The requests of a batch share a statement. @returns whether the request is new: it may be stored already */
  store({ content, ...request }: GenuineRequest): Promise<boolean> {
    const id = newId();
    return this.inserting.load({ ...request, id, sealed: this.contents.seal(content, id) });
  }

  /** @returns the ids of the rows that were not stored already */
  async markVerified(rows: readonly VerifiedRow[]): Promise<ReadonlySet<string>> {
    const first = new Map(
      rows.toReversed().map((row) => [`${row.provider} ${row.digest.toString('hex')}`, row]),
    );
    if (first.size === 0) return new Set();
    const marked = await this.database.run(markVerified, [...first.values()]);
    return new Set(marked.map(({ id }) => id));
  }

  async remove(rows: readonly ClaimedRequest[]): Promise<void> {
    if (rows.length > 0) await this.database.run(removeUnverified, rows);
  }

  private async insert(rows: readonly NewRow[]): Promise<boolean[]> {
    const inserted = new Set((await this.database.run(insertRequests, rows)).map(({ id }) => id));
    return rows.map(({ id }) => inserted.has(id));
  }
}
