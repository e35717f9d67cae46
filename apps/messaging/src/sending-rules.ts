import { hasEndpoints } from '@gangan/callbacks';
import { deliveryEvents, type MessageCategory, parseQuietHours, type QuietHours } from '@gangan/contracts';
import {
  Database,
  type OrganisationMode,
  RefreshedCache,
  type RowOf,
  sql,
  statement,
  StatementLoader,
  t,
} from '@gangan/database';
import { Injectable } from '@nestjs/common';
import { defaultCategory } from './message-category.js';

/** What an organisation may send as, and when. */
export type SendingRules = Omit<RowOf<typeof findRules>, 'quietHours'> & {
  readonly quietHours: QuietHours | undefined;
};

/** A newly registered sender can be used after this time. */
const ttlMs = 5_000;

const findRules = statement(
  {
    id: t.uuid,
    mode: t.enumOf<OrganisationMode>('organisation_mode'),
    defaultSender: t.text,
    registeredOnly: t.bool,
    defaultCategory: t.textOf<MessageCategory>(),
    /** Such as `22:00-07:00 Africa/Lagos`. */
    quietHours: t.nullable(t.text),
    /** The registered ones; empty if the organisation may use any. */
    senders: t.array(t.text),
    /** Whether an endpoint receives events of its deliveries. */
    hasEndpoints: t.bool,
  },
  (ids: readonly string[]) => sql`
    SELECT found.id, found.mode, found.default_sender AS "defaultSender",
      found.registered_senders_only AS "registeredOnly", found.default_category AS "defaultCategory",
      found.quiet_hours AS "quietHours",
      ARRAY(SELECT name FROM sender WHERE organisation_id = found.id AND found.registered_senders_only) AS senders,
      ${hasEndpoints(sql`found.id`, deliveryEvents)} AS "hasEndpoints"
    FROM unnest(${ids}::uuid[]) AS asked (id)
    CROSS JOIN LATERAL (
      SELECT id, mode, default_sender, registered_senders_only, ${defaultCategory} AS default_category,
        settings -> 'sms' ->> 'quiet_hours' AS quiet_hours
      FROM organisation WHERE id = asked.id LIMIT 1) found`,
);

/** The sending rules of organisations, cached for a few seconds. */
@Injectable()
export class SendingRulesCache {
  private readonly cache: RefreshedCache<SendingRules>;

  constructor(database: Database) {
    const loader = new StatementLoader(
      async (ids: readonly string[]) => {
        const rows = await database.run(findRules, [...new Set(ids)]);
        const found = new Map(
          rows.map((row) => [row.id, { ...row, quietHours: parseQuietHours(row.quietHours ?? '') }]),
        );
        return ids.map((id) => found.get(id) ?? new Error(`There is no organisation ${id}`));
      },
      { readOnly: true },
    );
    this.cache = new RefreshedCache(ttlMs, (organisationId) => loader.load(organisationId));
  }

  get(organisationId: string): Promise<SendingRules> {
    return this.cache.get(organisationId);
  }

  /** Undefined if they have to be read. */
  cached(organisationId: string): SendingRules | undefined {
    return this.cache.cached(organisationId);
  }
}

/** The default sender needs no registration: the operator chose it. */
export const maySendAs = (
  { defaultSender, registeredOnly, senders }: SendingRules,
  sender: string,
): boolean => !registeredOnly || sender === defaultSender || senders.includes(sender);
