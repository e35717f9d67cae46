import { type OtpSettings, parseOtpSettings } from '@gangan/contracts';
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
import { AppLogger } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { OtpConfig } from './otp.config.js';

/** The limits and OTP settings of an organisation. A limit of 0 means no limit. */
export interface OrganisationRules {
  readonly mode: OrganisationMode;
  readonly defaultSender: string;
  readonly sendsPerRecipient: number;
  readonly sendsPerPrefix: number;
  readonly triesPerRecipient: number;
  readonly dailyTriesPerRecipient: number;
  readonly settings: OtpSettings;
}

/** A changed limit or text takes effect after this time. */
const ttlMs = 5_000;

const findRules = statement(
  {
    id: t.uuid,
    mode: t.enumOf<OrganisationMode>('organisation_mode'),
    defaultSender: t.text,
    sendsPerRecipient: t.nullable(t.int),
    sendsPerPrefix: t.nullable(t.int),
    triesPerRecipient: t.nullable(t.int),
    dailyTriesPerRecipient: t.nullable(t.int),
    settings: t.json<Readonly<Record<string, unknown>>>(),
  },
  (ids: readonly string[]) => sql`
    SELECT organisation.id, mode, default_sender AS "defaultSender", otp_sends_per_recipient AS "sendsPerRecipient",
      otp_sends_per_prefix AS "sendsPerPrefix", otp_tries_per_recipient AS "triesPerRecipient",
      otp_daily_tries_per_recipient AS "dailyTriesPerRecipient", settings
    FROM unnest(${ids}::uuid[]) AS asked (id)
    CROSS JOIN LATERAL (
      SELECT id, mode, default_sender, otp_sends_per_recipient, otp_sends_per_prefix, otp_tries_per_recipient,
        otp_daily_tries_per_recipient, settings
      FROM organisation WHERE id = asked.id LIMIT 1) organisation`,
);

type RulesRow = RowOf<typeof findRules>;

@Injectable()
export class OrganisationRulesCache {
  private readonly cache: RefreshedCache<OrganisationRules>;

  constructor(
    database: Database,
    private readonly config: OtpConfig,
    private readonly logger: AppLogger,
  ) {
    const load = organisationLoader((ids) => database.run(findRules, ids));
    this.cache = new RefreshedCache(ttlMs, async (id) => this.toRules(await load(id)));
  }

  get(organisationId: string): Promise<OrganisationRules> {
    return this.cache.get(organisationId);
  }

  private toRules(row: RulesRow): OrganisationRules {
    const { config } = this;
    return {
      mode: row.mode,
      defaultSender: row.defaultSender,
      sendsPerRecipient: row.sendsPerRecipient ?? config.OTP_SENDS_PER_RECIPIENT,
      sendsPerPrefix: row.sendsPerPrefix ?? config.OTP_SENDS_PER_PREFIX,
      triesPerRecipient: row.triesPerRecipient ?? config.OTP_TRIES_PER_RECIPIENT,
      dailyTriesPerRecipient: row.dailyTriesPerRecipient ?? config.OTP_DAILY_TRIES_PER_RECIPIENT,
      settings: this.toSettings(row),
    };
  }

  /** Invalid settings are an error, not ignored: they may contain a restriction against abuse. */
  private toSettings({ id, settings }: RulesRow): OtpSettings {
    const result = parseOtpSettings(settings['otp']);
    if (result.ok) return result.value;
    this.logger.error({ organisation: id, errors: result.errors }, 'invalid OTP settings');
    throw new Error(`The OTP settings of organisation ${id} are invalid`);
  }
}
