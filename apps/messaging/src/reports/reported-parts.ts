import { command, Database, sql, statement, t, unnest } from '@gangan/database';
import type { Cost } from '@gangan/providers';
import { Injectable } from '@nestjs/common';
import type { ReportedState } from '../outcome/transition.js';

/** What was reported about one part of a message. */
export interface PartReport {
  readonly reference: string;
  readonly state: ReportedState;
  readonly code: string | null;
  /** The cost of the part; for a whole message, of all parts together, if all are known. */
  readonly cost: Cost | undefined;
}

const partRow = ({ cost, ...part }: PartReport) => ({
  ...part,
  costMicros: cost?.micros,
  costCurrency: cost?.currency,
});

/** The first report of a part counts, and the first one that states its cost. */
const storeParts = command(
  (provider: string, parts: readonly PartReport[]) => sql`
    UPDATE provider_reference SET state = coalesce(provider_reference.state, given.state),
      error_code = CASE WHEN provider_reference.state IS NULL THEN given.code ELSE error_code END,
      cost_micros = coalesce(provider_reference.cost_micros, given.cost_micros),
      cost_currency = coalesce(provider_reference.cost_currency, given.cost_currency)
    FROM ${unnest('given', parts.map(partRow), {
      text: ['reference', 'code', 'costCurrency'],
      delivery_state: ['state'],
      bigint: ['costMicros'],
    })}
    WHERE provider_reference.provider = ${provider}
      AND provider_reference.reference = ANY (${parts.map(({ reference }) => reference)}::text[])
      AND provider_reference.reference = given.reference
      AND (provider_reference.state IS NULL
        OR provider_reference.cost_micros IS NULL AND given.cost_micros IS NOT NULL)`,
);

/** What all parts together say. */
const readWholes = statement(
  {
    reference: t.text,
    state: t.enumOf<ReportedState>('delivery_state'),
    code: t.nullable(t.text),
    costMicros: t.nullable(t.bigint),
    costCurrency: t.nullable(t.text),
  },
  (provider: string, references: readonly string[]) => sql`
    SELECT given.reference, whole.state, whole.code, whole.micros AS "costMicros", whole.currency AS "costCurrency" FROM unnest(${references}::text[]) AS given (reference)
    CROSS JOIN LATERAL (
      SELECT delivery_id, attempt FROM provider_reference
      WHERE provider = ${provider} AND reference = given.reference LIMIT 1) own
    CROSS JOIN LATERAL (
      SELECT (CASE WHEN bool_or(state = 'undelivered') THEN 'undelivered' WHEN bool_or(state = 'expired') THEN 'expired'
          WHEN bool_and(coalesce(state = 'delivered', false)) THEN 'delivered' END)::delivery_state AS state,
        coalesce(min(error_code) FILTER (WHERE state = 'undelivered'), min(error_code)) AS code,
        CASE WHEN count(cost_micros) = count(*) AND count(DISTINCT cost_currency) = 1
          THEN sum(cost_micros)::bigint END AS micros, min(cost_currency)::text AS currency
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
    return new Map(
      wholes.map(({ costMicros: micros, costCurrency: currency, ...whole }) => {
        const cost = micros === null || currency === null ? undefined : { micros, currency };
        return [whole.reference, { ...whole, cost }];
      }),
    );
  }
}
