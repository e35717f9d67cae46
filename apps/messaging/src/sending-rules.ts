import { hasEndpoints } from '@gangan/callbacks';
import {
  type AllowedCountries,
  deliveryEvents,
  type MessageCategory,
  parseDestinationSettings,
  parseQuietHours,
  type QuietHours,
  type SendSmsRequest,
} from '@gangan/contracts';
import {
  Database,
  organisationLoader,
  type OrganisationMode,
  RefreshedCache,
  type RowOf,
  sql,
  statement,
  t,
} from '@gangan/database';
import { Injectable } from '@nestjs/common';
import { defaultCategory } from './message-category.js';

/** What an organisation may send as, and when. */
export type SendingRules = Omit<RowOf<typeof findRules>, 'quietHours' | 'destinations'> & {
  readonly quietHours: QuietHours | undefined;
  /** The countries that it may send to. Invalid settings allow none, because they may restrict abuse. */
  readonly countries: AllowedCountries;
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
    /** Whether the organisation sees the names of providers. */
    showsProviders: t.bool,
    /** Whether the organisation may send promotional SMS in national quiet hours. */
    ignoresNationalHours: t.bool,
    destinations: t.nullable(t.json<object>()),
    /** The registered senders; empty if the organisation may use any. */
    senders: t.array(t.text),
    /** Whether an endpoint receives events of its deliveries. */
    hasEndpoints: t.bool,
  },
  (ids: readonly string[]) => sql`
    SELECT found.id, found.mode, found.default_sender AS "defaultSender",
      found.registered_senders_only AS "registeredOnly", found.default_category AS "defaultCategory",
      found.quiet_hours AS "quietHours", found.ignores_national_hours AS "ignoresNationalHours", found.destinations,
      found.mode = 'test' OR found.shows_providers AS "showsProviders",
      ARRAY(SELECT name FROM sender WHERE organisation_id = found.id AND found.registered_senders_only) AS senders,
      ${hasEndpoints(sql`found.id`, deliveryEvents)} AS "hasEndpoints"
    FROM unnest(${ids}::uuid[]) AS asked (id)
    CROSS JOIN LATERAL (
      SELECT id, mode, default_sender, registered_senders_only, ${defaultCategory} AS default_category,
        settings -> 'sms' AS destinations, settings -> 'sms' ->> 'quiet_hours' AS quiet_hours,
        coalesce(settings -> 'sms' ->> 'provider_names' = 'shown', false) AS shows_providers,
        coalesce(settings -> 'sms' ->> 'national_quiet_hours' = 'ignored', false) AS ignores_national_hours
      FROM organisation WHERE id = asked.id LIMIT 1) found`,
);

/** The sending rules of organisations, cached for a few seconds. */
@Injectable()
export class SendingRulesCache {
  private readonly cache: RefreshedCache<SendingRules>;

  constructor(database: Database) {
    const load = organisationLoader(async (ids) => {
      const rows = await database.run(findRules, ids);
      return rows.map(({ quietHours, destinations, ...row }) => ({
        ...row,
        quietHours: parseQuietHours(quietHours ?? ''),
        countries: allowedCountries(destinations),
      }));
    });
    this.cache = new RefreshedCache(ttlMs, load);
  }

  get(organisationId: string): Promise<SendingRules> {
    return this.cache.get(organisationId);
  }

  /** Undefined if they have to be read. */
  cached(organisationId: string): SendingRules | undefined {
    return this.cache.cached(organisationId);
  }
}

function allowedCountries(settings: object | null): AllowedCountries {
  const result = parseDestinationSettings(settings ?? undefined);
  return result.ok ? result.value.countries : [];
}

/** Messages to a smartlist are promotional unless they name a category. */
export const categoryOf = (
  { category, smartlist_id: smartlistId }: Pick<SendSmsRequest, 'category' | 'smartlist_id'>,
  { defaultCategory }: SendingRules,
): MessageCategory => category ?? (smartlistId === undefined ? defaultCategory : 'promotional');

/** The default sender needs no registration: the operator chose it. */
export const maySendAs = (
  { defaultSender, registeredOnly, senders }: SendingRules,
  sender: string,
): boolean => !registeredOnly || sender === defaultSender || senders.includes(sender);
