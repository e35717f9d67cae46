import { Database, type Sql, sql, StatementLoader } from '@gangan/database';
import { newId } from '@gangan/protocol';
import { Injectable } from '@nestjs/common';
import { ConfiguredProvider, type LiveFinding } from './live-provider.js';

/** What is still believed of what the provider said earlier. */
export interface KeptFinding {
  readonly finding: LiveFinding;
  /** All that the provider tells at all: it need not be asked. */
  readonly complete: boolean;
  /** Somebody is asking it at this moment. */
  readonly beingAsked: boolean;
}

interface Row {
  readonly operator: string | null;
  readonly country: string | null;
  readonly ported: boolean | null;
  readonly dnd: boolean | null;
  readonly complete: boolean;
  readonly beingAsked: boolean;
}

const numberLasts = sql`interval '24 hours'`;
const dndLasts = sql`interval '1 hour'`;

/**
 * What the provider said lately, shared by all workers. It lies in Postgres: that is there with either backend of the
 * queue, it is asked once for a whole batch, and its row is also the lease of whoever is asking the provider.
 */
@Injectable()
export class FindingRepository {
  private readonly findings = new StatementLoader((phones: readonly string[]) => this.findAll(phones), {
    readOnly: true,
  });
  private readonly provider: string;
  private readonly tellsNumber: boolean;
  private readonly tellsDnd: boolean;

  constructor(
    private readonly database: Database,
    { provider }: ConfiguredProvider,
  ) {
    this.provider = provider?.identity ?? '';
    this.tellsDnd = provider?.tells.has('dnd') ?? false;
    this.tellsNumber = (['operator', 'country', 'ported'] as const).some((field) =>
      provider?.tells.has(field),
    );
  }

  find(e164: string): Promise<KeptFinding> {
    return this.findings.load(e164);
  }

  /** The right to ask the provider about a number; none while another has it, or when nothing needs to be asked. */
  async claim(e164: string, leaseMs: number): Promise<string | undefined> {
    const claim = newId();
    const until = sql`now() + ${leaseMs}::integer * interval '1 millisecond'`;
    const claimed = await this.database.execute(sql`
      INSERT INTO live_finding AS kept (phone, provider, asking_until, asking_by, kept_until)
      VALUES (${e164}, ${this.provider}, ${until}, ${claim}, ${until})
      ON CONFLICT (phone) DO UPDATE
        SET asking_until = excluded.asking_until, asking_by = excluded.asking_by,
          kept_until = greatest(kept.kept_until, excluded.kept_until)
        WHERE (kept.asking_until IS NULL OR kept.asking_until <= now()) AND NOT ${this.isComplete}`);
    return claimed === 1 ? claim : undefined;
  }

  /** What was heard, for everybody; it also gives the claim back. */
  async keep(e164: string, claim: string, { operator, country, ported, dnd }: LiveFinding): Promise<void> {
    const numberUntil = this.tellsNumber ? sql`now() + ${numberLasts}` : sql`NULL`;
    const dndUntil = this.tellsDnd ? sql`now() + ${dndLasts}` : sql`NULL`;
    await this.database.execute(sql`
      INSERT INTO live_finding AS kept (phone, provider, operator, country, ported, dnd, number_until, dnd_until, kept_until)
      VALUES (${e164}, ${this.provider}, ${operator ?? null}, ${country ?? null}, ${ported ?? null}, ${dnd ?? null},
        ${numberUntil}, ${dndUntil}, greatest(${numberUntil}, ${dndUntil}))
      ON CONFLICT (phone) DO UPDATE
        SET provider = excluded.provider, operator = excluded.operator, country = excluded.country,
          ported = excluded.ported, dnd = excluded.dnd, number_until = excluded.number_until,
          dnd_until = excluded.dnd_until, kept_until = excluded.kept_until,
          asking_until = CASE WHEN kept.asking_by = ${claim} THEN NULL ELSE kept.asking_until END`);
  }

  /** Nothing was heard: another may ask. */
  async release(e164: string, claim: string): Promise<void> {
    await this.database.execute(sql`
      UPDATE live_finding SET asking_until = NULL WHERE phone = ${e164} AND asking_by = ${claim}`);
  }

  /** Removes some of those that nobody believes any more; gives how many. */
  prune(most: number): Promise<number> {
    return this.database.execute(sql`
      DELETE FROM live_finding WHERE phone = ANY (ARRAY(
        SELECT phone FROM live_finding WHERE kept_until < now()
        ORDER BY kept_until LIMIT ${most} FOR UPDATE SKIP LOCKED))`);
  }

  private get isComplete(): Sql {
    return sql`(kept.provider = ${this.provider} AND (${!this.tellsNumber}::boolean OR coalesce(kept.number_until > now(), false))
      AND (${!this.tellsDnd}::boolean OR coalesce(kept.dnd_until > now(), false)))`;
  }

  private async findAll(phones: readonly string[]): Promise<KeptFinding[]> {
    const rows = await this.database.query<Row>(sql`
      SELECT CASE WHEN ours AND number_until > now() THEN operator END AS operator,
        CASE WHEN ours AND number_until > now() THEN country END AS country,
        CASE WHEN ours AND number_until > now() THEN ported END AS ported,
        CASE WHEN ours AND dnd_until > now() THEN dnd END AS dnd, coalesce(complete, false) AS complete,
        coalesce(asking_until > now(), false) AS "beingAsked"
      FROM unnest(${phones}::text[]) WITH ORDINALITY AS asked (phone, place)
      LEFT JOIN LATERAL (
        SELECT operator, country, ported, dnd, number_until, dnd_until, asking_until,
          provider = ${this.provider} AS ours, ${this.isComplete} AS complete
        FROM live_finding AS kept WHERE phone = asked.phone LIMIT 1) AS known ON true
      ORDER BY asked.place`);
    return rows.map(({ complete, beingAsked, ...fields }) => ({
      complete,
      beingAsked,
      finding: withoutNulls(fields),
    }));
  }
}

const withoutNulls = (fields: Omit<Row, 'complete' | 'beingAsked'>): LiveFinding =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
