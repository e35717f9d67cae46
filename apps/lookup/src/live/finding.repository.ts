import type { LineType, ParsedPhone } from '@gangan/contracts';
import { command, Database, shareStatement, type Sql, sql, statement, t } from '@gangan/database';
import { LeaseTable, leaseUntil } from '@gangan/leases';
import { newId } from '@gangan/protocol';
import type { Cost, LookupFinding } from '@gangan/providers';
import { Injectable } from '@nestjs/common';
import type { FindingField, LookupProvider } from '../providers/lookup-provider.js';

/** The part of an earlier finding that is still valid. */
export interface CachedFinding {
  readonly finding: LookupFinding;
  /** Whether the finding has every field that its provider reports, except roaming, so that no call is needed. */
  readonly complete: boolean;
  /** A worker is calling a provider at the moment. */
  readonly beingAsked: boolean;
}

/** A number, and the providers whose findings count. */
export interface FindingKey {
  readonly phone: Pick<ParsedPhone, 'e164'>;
  readonly providers: readonly Pick<LookupProvider, 'identity'>[];
}

/** What a provider reported, and what it charges the organisation that asked. */
export interface ReportedFinding {
  readonly organisationId: string;
  readonly provider: Pick<LookupProvider, 'name' | 'identity' | 'organisationId' | 'fields'>;
  readonly finding: LookupFinding;
  readonly cost: Cost | undefined;
}

const numberFields: readonly FindingField[] = ['operator', 'country', 'ported', 'lineType'];
const numberTtl = sql`interval '24 hours'`;
/** DND and roaming change more often. */
const statusTtl = sql`interval '1 hour'`;

/** Separated by a space, which no identity contains. */
const identitiesOf = ({ providers }: FindingKey): string =>
  providers.map(({ identity }) => identity).join(' ');

/**
 * A provider that does not report the fields of a time leaves it NULL, which `least` ignores. Roaming alone is not worth a
 * further call: it counts only if the provider reports nothing else.
 */
const isValid = (identities: Sql): Sql => sql`
  (cached.provider = ANY (string_to_array(${identities}, ' '))
    AND coalesce(coalesce(least(cached.number_until, cached.dnd_until), cached.roaming_until) > now(), false))`;

const findCached = statement(
  {
    operator: t.nullable(t.text),
    country: t.nullable(t.text),
    ported: t.nullable(t.bool),
    lineType: t.nullable(t.textOf<LineType>()),
    dnd: t.nullable(t.bool),
    roaming: t.nullable(t.bool),
    complete: t.bool,
    beingAsked: t.bool,
  },
  (phones: readonly string[], identities: readonly string[]) => sql`
    SELECT CASE WHEN ours AND number_until > now() THEN operator END AS operator,
      CASE WHEN ours AND number_until > now() THEN country END AS country,
      CASE WHEN ours AND number_until > now() THEN ported END AS ported,
      CASE WHEN ours AND number_until > now() THEN line_type END AS "lineType",
      CASE WHEN ours AND dnd_until > now() THEN dnd END AS dnd,
      CASE WHEN ours AND roaming_until > now() THEN roaming END AS roaming, coalesce(complete, false) AS complete,
      coalesce(asking_until > now(), false) AS "beingAsked"
    FROM unnest(${phones}::text[], ${identities}::text[]) WITH ORDINALITY AS wanted (phone, identities, position)
    LEFT JOIN LATERAL (
      SELECT operator, country, ported, line_type, dnd, roaming, number_until, dnd_until, roaming_until, asking_until,
        provider = ANY (string_to_array(wanted.identities, ' ')) AS ours,
        ${isValid(sql`wanted.identities`)} AS complete
      FROM live_finding AS cached WHERE phone = wanted.phone LIMIT 1) AS found ON true
    ORDER BY wanted.position`,
);

const lease = new LeaseTable({
  table: 'live_finding',
  claim: { phone: 'phone', claim: 'asking_by' },
  expiresAt: 'asking_until',
});

const claimCall = command(
  (phone: string, claim: string, leaseMs: number, identities: string) => sql`
    INSERT INTO live_finding AS cached (phone, provider, asking_until, asking_by, kept_until)
    VALUES (${phone}, '', ${leaseUntil(leaseMs)}, ${claim}, ${leaseUntil(leaseMs)})
    ON CONFLICT (phone) DO UPDATE
      SET asking_until = excluded.asking_until, asking_by = excluded.asking_by,
        kept_until = greatest(cached.kept_until, excluded.kept_until)
      WHERE (cached.asking_until IS NULL OR cached.asking_until <= now())
        AND NOT ${isValid(sql`${identities}::text`)}`,
);

const storeFinding = command(
  (phone: string, claim: string, { organisationId, provider, finding, cost }: ReportedFinding) => {
    const { operator, country, ported, lineType, dnd, roaming } = finding;
    const reports = (fields: readonly FindingField[]) => fields.some((field) => provider.fields.has(field));
    return sql`
    WITH counted AS (
      INSERT INTO lookup_tally AS tally (organisation_id, day, provider, currency, calls, micros)
      VALUES (${organisationId}::uuid, (now() AT TIME ZONE 'UTC')::date, ${provider.name}, ${cost?.currency ?? ''}, 1,
        ${cost?.micros ?? 0n}::bigint)
      ON CONFLICT (organisation_id, day, provider, currency) DO UPDATE
        SET calls = tally.calls + 1, micros = tally.micros + excluded.micros)
    INSERT INTO live_finding AS cached
      (phone, provider, organisation_id, operator, country, ported, line_type, dnd, roaming, number_until, dnd_until,
        roaming_until, kept_until)
    SELECT ${phone}, ${provider.identity}, ${provider.organisationId}::uuid, ${operator ?? null}, ${country ?? null},
      ${ported ?? null}::boolean, ${lineType ?? null}, ${dnd ?? null}::boolean, ${roaming ?? null}::boolean,
      number_until, dnd_until, roaming_until, greatest(number_until, dnd_until, roaming_until)
    FROM (SELECT CASE WHEN ${reports(numberFields)} THEN now() + ${numberTtl} END AS number_until,
      CASE WHEN ${reports(['dnd'])} THEN now() + ${statusTtl} END AS dnd_until,
      CASE WHEN ${reports(['roaming'])} THEN now() + ${statusTtl} END AS roaming_until) AS times
    ON CONFLICT (phone) DO UPDATE
      SET provider = excluded.provider, organisation_id = excluded.organisation_id, operator = excluded.operator,
        country = excluded.country, ported = excluded.ported, line_type = excluded.line_type, dnd = excluded.dnd,
        roaming = excluded.roaming, number_until = excluded.number_until, dnd_until = excluded.dnd_until,
        roaming_until = excluded.roaming_until, kept_until = excluded.kept_until,
        asking_until = CASE WHEN cached.asking_by = ${claim} THEN NULL ELSE cached.asking_until END`;
  },
  {
    samples: [
      [
        '',
        '',
        {
          organisationId: '',
          provider: { name: '', identity: '', organisationId: null, fields: new Set<FindingField>() },
          finding: {},
          cost: undefined,
        },
      ],
    ],
  },
);

/**
 * Caches what providers reported, for all workers. The cache is in Postgres because that exists with either queue
 * backend and serves a batch with one statement; its row is also the lease of the worker that calls a provider.
 */
@Injectable()
export class FindingRepository {
  readonly find = shareStatement(
    async (keys: readonly FindingKey[]): Promise<CachedFinding[]> => {
      const phones = keys.map(({ phone }) => phone.e164);
      const rows = await this.database.run(findCached, phones, keys.map(identitiesOf));
      return rows.map(({ complete, beingAsked, ...fields }) => ({
        complete,
        beingAsked,
        finding: Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)),
      }));
    },
    { readOnly: true },
  );

  constructor(private readonly database: Database) {}

  /** Claims the call for a number; `undefined` if another worker holds the claim, or if no call is needed. */
  async claim(key: FindingKey, leaseMs: number): Promise<string | undefined> {
    const claim = newId();
    const claimed = await this.database.run(claimCall, key.phone.e164, claim, leaseMs, identitiesOf(key));
    return claimed === 1 ? claim : undefined;
  }

  /** Stores a finding, counts the call and releases the claim. */
  async store(e164: string, claim: string, reported: ReportedFinding): Promise<void> {
    await this.database.run(storeFinding, e164, claim, reported);
  }

  /** Releases the claim of a call without a result. */
  async release(e164: string, claim: string): Promise<void> {
    await lease.release(this.database, { phone: e164, claim });
  }
}
