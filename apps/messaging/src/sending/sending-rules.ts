import { Database, type OrganisationMode, sql, StatementLoader } from '@gangan/database';
import { Injectable } from '@nestjs/common';

/** What an organisation may send as. */
export interface SendingRules {
  readonly mode: OrganisationMode;
  readonly defaultSender: string;
  /** The only ones it may use besides its usual one; absent when it may use any. */
  readonly senders?: ReadonlySet<string>;
}

/** A sender that was registered can be used after this time. */
const memoryMs = 5_000;
const room = 10_000;

interface Row {
  readonly id: string;
  readonly mode: OrganisationMode;
  readonly defaultSender: string;
  readonly registeredOnly: boolean;
  readonly senders: string[];
}

@Injectable()
export class OrganisationRules {
  private readonly known = new Map<string, { readonly rules: SendingRules; readonly readAt: number }>();
  private readonly rules = new StatementLoader((ids: readonly string[]) => this.findAll(ids), {
    readOnly: true,
  });

  constructor(private readonly database: Database) {}

  async of(organisationId: string): Promise<SendingRules> {
    const known = this.known.get(organisationId);
    if (known && performance.now() - known.readAt < memoryMs) return known.rules;
    const rules = await this.rules.load(organisationId);
    if (this.known.size >= room) this.known.clear();
    this.known.set(organisationId, { rules, readAt: performance.now() });
    return rules;
  }

  private async findAll(ids: readonly string[]): Promise<(SendingRules | Error)[]> {
    const rows = await this.database.query<Row>(sql`
      SELECT found.id, found.mode, found.default_sender AS "defaultSender",
        found.registered_senders_only AS "registeredOnly",
        ARRAY(SELECT name FROM sender WHERE organisation_id = found.id AND found.registered_senders_only)
          AS senders
      FROM unnest(${[...new Set(ids)]}::uuid[]) AS asked (id)
      CROSS JOIN LATERAL (
        SELECT id, mode, default_sender, registered_senders_only FROM organisation WHERE id = asked.id LIMIT 1) found`);
    const found = new Map(rows.map((row) => [row.id, rulesOf(row)]));
    return ids.map((id) => found.get(id) ?? new Error(`There is no organisation ${id}`));
  }
}

const rulesOf = ({ mode, defaultSender, registeredOnly, senders }: Row): SendingRules => ({
  mode,
  defaultSender,
  ...(registeredOnly && { senders: new Set(senders) }),
});

/** The operator chose the usual sender: it needs no registration. */
export const maySendAs = ({ defaultSender, senders }: SendingRules, sender: string): boolean =>
  senders === undefined || sender === defaultSender || senders.has(sender);
