import { type RowOf, type SenderStatus, sql, type SqlRunner, statement, t } from '@gangan/database';

const findAll = statement(
  {
    ...{ provider: t.text, organisationId: t.nullable(t.uuid), sender: t.text },
    ...{ originator: t.nullable(t.text), status: t.enumOf<SenderStatus>('sender_status') },
  },
  () => sql`
    SELECT provider, organisation_id AS "organisationId", sender, originator, status FROM sender_registration`,
);

/** A sender at a provider. `organisationId` is `null` if it is for all organisations. */
export type SenderRegistration = RowOf<typeof findAll>;

export const readSenderRegistrations = (database: SqlRunner): Promise<readonly SenderRegistration[]> =>
  database.run(findAll);

/** Which senders may be used at which providers, and in which form. */
export class SenderRegistrations {
  private readonly byKey: ReadonlyMap<string, SenderRegistration>;

  constructor(rows: readonly SenderRegistration[]) {
    this.byKey = new Map(rows.map((row) => [keyOf(row.provider, row.sender, row.organisationId), row]));
  }

  /** The one for the organisation, else the one for all. */
  find(provider: string, sender: string, organisationId: string): SenderRegistration | undefined {
    if (this.byKey.size === 0) return undefined;
    return (
      this.byKey.get(keyOf(provider, sender, organisationId)) ?? this.byKey.get(keyOf(provider, sender, null))
    );
  }

  /** Why a provider must not get a sender; undefined if it may. */
  refusalOf(
    { name, registeredSenders }: { readonly name: string; readonly registeredSenders: boolean },
    sender: string,
    organisationId: string,
  ): string | undefined {
    const found = this.find(name, sender, organisationId);
    if (!found) return registeredSenders ? `the sender ${sender} is not registered there` : undefined;
    return found.status === 'approved'
      ? undefined
      : `the registration of the sender ${sender} there is ${found.status}`;
  }
}

/** A sender may contain every printable character. */
const keyOf = (provider: string, sender: string, organisationId: string | null): string =>
  `${provider}\n${organisationId ?? ''}\n${sender}`;
