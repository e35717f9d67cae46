import { type RowOf, type SenderStatus, sql, type SqlRunner, statement, t } from '@gangan/database';

const findAll = statement(
  {
    provider: t.text,
    organisationId: t.nullable(t.uuid),
    sender: t.text,
    originator: t.nullable(t.text),
    status: t.enumOf<SenderStatus>('sender_status'),
  },
  () => sql`
    SELECT provider, organisation_id AS "organisationId", sender, originator, status FROM sender_registration`,
);

/** Differs after every change of a row. */
const findVersion = statement(
  { version: t.text },
  () => sql`
    SELECT count(*) || ' ' || coalesce(sum(hash_record_extended(registration, 0)), 0) AS version
    FROM sender_registration AS registration`,
);

/** A sender at a provider. `organisationId` is `null` if it is for all organisations. */
export type SenderRegistration = RowOf<typeof findAll>;

interface RegisteringProvider {
  readonly name: string;
  /** Whether it takes only senders that are registered there. */
  readonly registeredSenders: boolean;
}

const isAllowed = (
  { registeredSenders }: RegisteringProvider,
  found: SenderRegistration | undefined,
): boolean => (found ? found.status === 'approved' : !registeredSenders);

/** Which senders may be used at which providers, and in which form. */
export class SenderRegistrations {
  private readonly byKey: ReadonlyMap<string, SenderRegistration>;

  constructor(rows: readonly SenderRegistration[]) {
    this.byKey = new Map(rows.map((row) => [keyOf(row.provider, row.sender, row.organisationId), row]));
  }

  /** The registration for the organisation, or else the one for all. */
  find(provider: string, sender: string, organisationId: string): SenderRegistration | undefined {
    if (this.byKey.size === 0) return undefined;
    return (
      this.byKey.get(keyOf(provider, sender, organisationId)) ?? this.byKey.get(keyOf(provider, sender, null))
    );
  }

  /** Why a provider must not get a sender; undefined if it may. */
  refusalOf(provider: RegisteringProvider, sender: string, organisationId: string): string | undefined {
    const found = this.find(provider.name, sender, organisationId);
    if (isAllowed(provider, found)) return undefined;
    return found
      ? `the registration of the sender ${sender} there is ${found.status}`
      : `the sender ${sender} is not registered there`;
  }

  /** The sender in the form that is registered at the provider; undefined if the provider must not get it. */
  originatorOf(provider: RegisteringProvider, sender: string, organisationId: string): string | undefined {
    const found = this.find(provider.name, sender, organisationId);
    return isAllowed(provider, found) ? (found?.originator ?? sender) : undefined;
  }
}

/** Reads the registrations only if they have changed, because there may be many. */
export class SenderRegistrationReader {
  private version: string | undefined;
  private registrations = new SenderRegistrations([]);

  constructor(private readonly database: SqlRunner) {}

  async read(): Promise<SenderRegistrations> {
    const [found] = await this.database.run(findVersion);
    if (found?.version !== this.version) {
      this.registrations = new SenderRegistrations(await this.database.run(findAll));
      this.version = found?.version;
    }
    return this.registrations;
  }
}

/** A sender may contain every printable character. */
const keyOf = (provider: string, sender: string, organisationId: string | null): string =>
  `${provider}\n${organisationId ?? ''}\n${sender}`;
