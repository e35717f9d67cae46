import { command, Database, shareStatement, type Sql, sql, statement, t } from '@gangan/database';
import { LeaseTable, leaseUntil } from '@gangan/leases';
import { newId } from '@gangan/protocol';
import { Injectable } from '@nestjs/common';
import { ConfiguredProvider, type LiveFinding } from '../providers/live-provider.js';

/** The part of an earlier finding that is still valid. */
export interface CachedFinding {
  readonly finding: LiveFinding;
  /** It has every field that the provider reports, so no call is needed. */
  readonly complete: boolean;
  /** A worker is calling the provider at the moment. */
  readonly beingAsked: boolean;
}

/** Which findings count: those of the same provider with the same rules. */
interface Rules {
  readonly provider: string;
  /** It reports operator, country or ported. */
  readonly reportsNumber: boolean;
  readonly reportsDnd: boolean;
}

const numberTtl = sql`interval '24 hours'`;
const dndTtl = sql`interval '1 hour'`;

const isComplete = ({ provider, reportsNumber, reportsDnd }: Rules): Sql => sql`
  (cached.provider = ${provider} AND (${!reportsNumber}::boolean OR coalesce(cached.number_until > now(), false))
    AND (${!reportsDnd}::boolean OR coalesce(cached.dnd_until > now(), false)))`;

const findCached = statement(
  {
    operator: t.nullable(t.text),
    country: t.nullable(t.text),
    ported: t.nullable(t.bool),
    dnd: t.nullable(t.bool),
    complete: t.bool,
    beingAsked: t.bool,
  },
  (phones: readonly string[], rules: Rules) => sql`
    SELECT CASE WHEN ours AND number_until > now() THEN operator END AS operator,
      CASE WHEN ours AND number_until > now() THEN country END AS country,
      CASE WHEN ours AND number_until > now() THEN ported END AS ported,
      CASE WHEN ours AND dnd_until > now() THEN dnd END AS dnd, coalesce(complete, false) AS complete,
      coalesce(asking_until > now(), false) AS "beingAsked"
    FROM unnest(${phones}::text[]) WITH ORDINALITY AS wanted (phone, position)
    LEFT JOIN LATERAL (
      SELECT operator, country, ported, dnd, number_until, dnd_until, asking_until,
        provider = ${rules.provider} AS ours, ${isComplete(rules)} AS complete
      FROM live_finding AS cached WHERE phone = wanted.phone LIMIT 1) AS found ON true
    ORDER BY wanted.position`,
);

const lease = new LeaseTable({
  table: 'live_finding',
  claim: { phone: 'phone', claim: 'asking_by' },
  expiresAt: 'asking_until',
});

const claimCall = command(
  (phone: string, claim: string, leaseMs: number, rules: Rules) => sql`
    INSERT INTO live_finding AS cached (phone, provider, asking_until, asking_by, kept_until)
    VALUES (${phone}, ${rules.provider}, ${leaseUntil(leaseMs)}, ${claim}, ${leaseUntil(leaseMs)})
    ON CONFLICT (phone) DO UPDATE
      SET asking_until = excluded.asking_until, asking_by = excluded.asking_by,
        kept_until = greatest(cached.kept_until, excluded.kept_until)
      WHERE (cached.asking_until IS NULL OR cached.asking_until <= now()) AND NOT ${isComplete(rules)}`,
);

const storeFinding = command(
  (
    phone: string,
    claim: string,
    { operator, country, ported, dnd }: LiveFinding,
    { provider, reportsNumber, reportsDnd }: Rules,
  ) => sql`
    INSERT INTO live_finding AS cached
      (phone, provider, operator, country, ported, dnd, number_until, dnd_until, kept_until)
    SELECT ${phone}, ${provider}, ${operator ?? null}, ${country ?? null}, ${ported ?? null}::boolean,
      ${dnd ?? null}::boolean, number_until, dnd_until, greatest(number_until, dnd_until)
    FROM (SELECT CASE WHEN ${reportsNumber} THEN now() + ${numberTtl} END AS number_until,
      CASE WHEN ${reportsDnd} THEN now() + ${dndTtl} END AS dnd_until) AS times
    ON CONFLICT (phone) DO UPDATE
      SET provider = excluded.provider, operator = excluded.operator, country = excluded.country,
        ported = excluded.ported, dnd = excluded.dnd, number_until = excluded.number_until,
        dnd_until = excluded.dnd_until, kept_until = excluded.kept_until,
        asking_until = CASE WHEN cached.asking_by = ${claim} THEN NULL ELSE cached.asking_until END`,
);

/**
 * Caches what the provider reported, for all workers. The cache is in Postgres because that exists with either queue
 * backend and serves a batch with one statement; its row is also the lease of the worker that calls the provider.
 */
@Injectable()
export class FindingRepository {
  readonly find = shareStatement(
    async (phones: readonly string[]): Promise<CachedFinding[]> => {
      const rows = await this.database.run(findCached, phones, this.rules);
      return rows.map(({ complete, beingAsked, ...fields }) => ({
        complete,
        beingAsked,
        finding: Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)),
      }));
    },
    { readOnly: true },
  );
  private readonly rules: Rules;

  constructor(
    private readonly database: Database,
    { provider }: ConfiguredProvider,
  ) {
    this.rules = {
      provider: provider?.identity ?? '',
      reportsNumber: (['operator', 'country', 'ported'] as const).some((field) =>
        provider?.fields.has(field),
      ),
      reportsDnd: provider?.fields.has('dnd') ?? false,
    };
  }

  /** Claims the call for a number; `undefined` if another worker holds the claim, or if no call is needed. */
  async claim(e164: string, leaseMs: number): Promise<string | undefined> {
    const claim = newId();
    const claimed = await this.database.run(claimCall, e164, claim, leaseMs, this.rules);
    return claimed === 1 ? claim : undefined;
  }

  /** Stores a finding and releases the claim. */
  async store(e164: string, claim: string, finding: LiveFinding): Promise<void> {
    await this.database.run(storeFinding, e164, claim, finding, this.rules);
  }

  /** Releases the claim of a call without a result. */
  async release(e164: string, claim: string): Promise<void> {
    await lease.release(this.database, { phone: e164, claim });
  }
}
