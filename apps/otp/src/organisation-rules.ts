import { type OtpSettings, parseOtpSettings } from '@gangan/contracts';
import { Database, type OrganisationMode, sql, StatementLoader } from '@gangan/database';
import { AppLogger } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { OtpConfig } from './otp.config.js';

/** What an organisation may do, and how its OTPs look. A limit of 0 is none. */
export interface OrganisationRules {
  readonly mode: OrganisationMode;
  readonly sendsPerRecipient: number;
  readonly sendsPerPrefix: number;
  readonly triesPerRecipient: number;
  readonly dailySpendKobo: bigint;
  readonly settings: OtpSettings;
}

interface Row {
  readonly id: string;
  readonly mode: OrganisationMode;
  readonly sendsPerRecipient: number | null;
  readonly sendsPerPrefix: number | null;
  readonly triesPerRecipient: number | null;
  readonly dailySpendKobo: bigint | null;
  readonly settings: Readonly<Record<string, unknown>>;
}

/** A changed limit or text holds everywhere after this time. */
const memoryMs = 5_000;
const mostRemembered = 10_000;

@Injectable()
export class RulesOfOrganisations {
  private readonly known = new Map<string, { readonly rules: OrganisationRules; readonly until: number }>();
  private readonly rows = new StatementLoader((ids: readonly string[]) => this.findAll(ids), {
    readOnly: true,
  });

  constructor(
    private readonly database: Database,
    private readonly config: OtpConfig,
    private readonly logger: AppLogger,
  ) {}

  async of(organisationId: string): Promise<OrganisationRules> {
    const known = this.known.get(organisationId);
    if (known && known.until > performance.now()) return known.rules;
    const rules = this.rulesOf(await this.rows.load(organisationId));
    if (this.known.size >= mostRemembered) this.known.clear();
    this.known.set(organisationId, { rules, until: performance.now() + memoryMs });
    return rules;
  }

  private rulesOf(row: Row): OrganisationRules {
    const { config } = this;
    return {
      mode: row.mode,
      sendsPerRecipient: row.sendsPerRecipient ?? config.OTP_SENDS_PER_RECIPIENT,
      sendsPerPrefix: row.sendsPerPrefix ?? config.OTP_SENDS_PER_PREFIX,
      triesPerRecipient: row.triesPerRecipient ?? config.OTP_TRIES_PER_RECIPIENT,
      dailySpendKobo: row.dailySpendKobo ?? BigInt(config.OTP_DAILY_SPEND) * 100n,
      settings: this.settingsOf(row),
    };
  }

  /** What cannot be used must not be ignored: it may be what keeps an organisation from being abused. */
  private settingsOf({ id, settings }: Row): OtpSettings {
    const result = parseOtpSettings(settings['otp']);
    if (result.ok) return result.value;
    this.logger.error({ organisation: id, errors: result.errors }, 'settings of OTPs cannot be used');
    throw new Error(`The settings of OTPs of organisation ${id} cannot be used`);
  }

  private async findAll(ids: readonly string[]): Promise<(Row | Error)[]> {
    const rows = await this.database.query<Row>(sql`
      SELECT organisation.id, mode, otp_sends_per_recipient AS "sendsPerRecipient",
        otp_sends_per_prefix AS "sendsPerPrefix", otp_tries_per_recipient AS "triesPerRecipient",
        otp_daily_spend_kobo AS "dailySpendKobo", settings
      FROM unnest(${[...new Set(ids)]}::uuid[]) AS asked (id)
      CROSS JOIN LATERAL (
        SELECT id, mode, otp_sends_per_recipient, otp_sends_per_prefix, otp_tries_per_recipient,
          otp_daily_spend_kobo, settings
        FROM organisation WHERE id = asked.id LIMIT 1) organisation`);
    const found = new Map(rows.map((row) => [row.id, row]));
    return ids.map((id) => found.get(id) ?? new Error(`There is no organisation ${id}`));
  }
}
