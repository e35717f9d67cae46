import { type RowOf, sql, type SqlRunner, statement, t } from '@gangan/database';

/** A template is paused for three or six hours; then it is approved again, or disabled. */
const findUnusable = statement(
  { provider: t.text, name: t.text, language: t.text, status: t.text, reason: t.nullable(t.text) },
  () => sql`
    SELECT provider, name, language, status, reason FROM provider_template
    WHERE status IN ('REJECTED', 'DISABLED', 'ARCHIVED', 'DELETED', 'PENDING_DELETION')
      OR status = 'PAUSED' AND synced_at > now() - interval '6 hours'`,
);

export type UnusableTemplate = RowOf<typeof findUnusable>;

/** The templates that WhatsApp does not send, as far as they are known. */
export class UnusableTemplates {
  private readonly byKey: ReadonlyMap<string, UnusableTemplate>;

  constructor(rows: readonly UnusableTemplate[]) {
    this.byKey = new Map(rows.map((row) => [keyOf(row.provider, row.name, row.language), row]));
  }

  static async read(database: SqlRunner): Promise<UnusableTemplates> {
    return new UnusableTemplates(await database.run(findUnusable));
  }

  /** Undefined if one of the providers may send the template. */
  findFault(
    providers: readonly { readonly name: string }[],
    template: { readonly name: string; readonly language: string },
  ): UnusableTemplate | undefined {
    if (this.byKey.size === 0) return undefined;
    const { name, language } = template;
    const faults = providers.map((provider) => this.byKey.get(keyOf(provider.name, name, language)));
    return faults.every((fault) => fault !== undefined) ? faults[0] : undefined;
  }
}

/** A sentence for customers. */
export const describeUnusable = ({ name, language, status, reason }: UnusableTemplate): string =>
  `WhatsApp has ${states[status] ?? 'disabled'} the template ${name} (${language})${
    reason === null ? '' : `: ${reason}`
  }`;

const states: Readonly<Record<string, string>> = { REJECTED: 'rejected', PAUSED: 'paused' };

const keyOf = (provider: string, name: string, language: string): string =>
  `${provider}\n${language}\n${name}`;
