import { Database, type OrganisationMode, sql, StatementLoader } from '@gangan/database';
import { newContext, runInContext } from '@gangan/protocol';
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
/** From then on they are read again, while what is known still serves: a busy organisation never waits for it. */
const refreshMs = 2_500;
const room = 10_000;

interface Row {
  readonly id: string;
  readonly mode: OrganisationMode;
  readonly defaultSender: string;
  readonly registeredOnly: boolean;
  readonly senders: string[];
}

@Injectable()
export class RulesOfOrganisations {
  private readonly known = new Map<string, { readonly rules: SendingRules; readonly readAt: number }>();
  private readonly refreshing = new Set<string>();
  private readonly rules = new StatementLoader((ids: readonly string[]) => this.findAll(ids), {
    readOnly: true,
  });

  constructor(private readonly database: Database) {}

  async of(organisationId: string): Promise<SendingRules> {
    const known = this.known.get(organisationId);
    const age = known ? performance.now() - known.readAt : Infinity;
    if (!known || age >= memoryMs) return this.read(organisationId);
    if (age >= refreshMs) void this.refresh(organisationId);
    return known.rules;
  }

  private async read(organisationId: string): Promise<SendingRules> {
    const readAt = performance.now();
    const rules = await this.rules.load(organisationId);
    if (this.known.size >= room) this.known.clear();
    this.known.set(organisationId, { rules, readAt });
    return rules;
  }

  /** Outside of the batch: nobody in it waits for this. */
  private async refresh(organisationId: string): Promise<void> {
    if (this.refreshing.has(organisationId)) return;
    this.refreshing.add(organisationId);
    try {
      await runInContext(newContext(), () => this.read(organisationId));
    } catch {
      // Whoever needs them once they are forgotten reads them again, and is told.
    } finally {
      this.refreshing.delete(organisationId);
    }
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
