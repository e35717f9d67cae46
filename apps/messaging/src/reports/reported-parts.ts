import { command, Database, sql, statement, t, unnest } from '@gangan/database';
import { Injectable } from '@nestjs/common';
import type { ReportedState } from '../outcome/transition.js';

/** What was reported about one part of a message. */
export interface PartReport {
  readonly reference: string;
  readonly state: ReportedState;
  readonly code: string | null;
}

/** The first report of a part counts. */
const storeParts = command(
  (provider: string, parts: readonly PartReport[]) => sql`
    UPDATE provider_reference SET state = given.state, error_code = given.code
    FROM ${unnest('given', parts, { text: ['reference', 'code'], delivery_state: ['state'] })}
    WHERE provider_reference.provider = ${provider}
      AND provider_reference.reference = ANY (${parts.map(({ reference }) => reference)}::text[])
      AND provider_reference.reference = given.reference
      AND provider_reference.state IS NULL`,
);

/** What all parts together say. */
const readWholes = statement(
  { reference: t.text, state: t.enumOf<ReportedState>('delivery_state'), code: t.nullable(t.text) },
  (provider: string, references: readonly string[]) => sql`
    SELECT given.reference, whole.state, whole.code FROM unnest(${references}::text[]) AS given (reference)
    CROSS JOIN LATERAL (
      SELECT delivery_id, attempt FROM provider_reference
      WHERE provider = ${provider} AND reference = given.reference LIMIT 1) own
    CROSS JOIN LATERAL (
      SELECT (CASE WHEN bool_or(state = 'undelivered') THEN 'undelivered' WHEN bool_or(state = 'expired') THEN 'expired'
          WHEN bool_and(coalesce(state = 'delivered', false)) THEN 'delivered' END)::delivery_state AS state,
        coalesce(min(error_code) FILTER (WHERE state = 'undelivered'), min(error_code)) AS code
      FROM provider_reference WHERE delivery_id = own.delivery_id AND attempt = own.attempt) whole
    WHERE whole.state IS NOT NULL`,
);

/** Messages whose parts are reported one by one: delivered when all parts are, undelivered when any is. */
@Injectable()
export class ReportedParts {
  constructor(private readonly database: Database) {}

  /**
   * Each worker reads all parts after it has committed its own, so the last one sees that all were reported.
   * @returns what is known about the whole message, by reference; nothing while parts are missing
   */
  async record(provider: string, parts: readonly PartReport[]): Promise<ReadonlyMap<string, PartReport>> {
    if (parts.length === 0) return new Map();
    const first = new Map(parts.toReversed().map((part) => [part.reference, part]));
    const ordered = [...first.values()].toSorted((one, other) => (one.reference < other.reference ? -1 : 1));
    await this.database.run(storeParts, provider, ordered);
    const wholes = await this.database.run(readWholes, provider, [...first.keys()]);
    return new Map(wholes.map((whole) => [whole.reference, whole]));
  }
}
