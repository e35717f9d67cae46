import { command, Database, type RowOf, sql, statement, t, unnest } from '@gangan/database';
import { ClaimTable, dueAfter, dueNow, type Lease, LeaseHolder, LeaseLostError } from '@gangan/leases';
import type { TemplateUpdate } from '@gangan/providers';
import { Injectable } from '@nestjs/common';

/** Longer than it takes to apply a batch of reports while wallets are locked. */
const leaseMs = 60_000;
/** Small requests are read together. Large ones, as of WhatsApp, would fill the memory of the worker. */
const smallBytes = 65_536;
const small = {
  limit: 100,
  where: sql`state = 'received' AND unfinished_claims = 0 AND octet_length(sealed_content) <= ${smallBytes}::int`,
};
const large = {
  limit: 2,
  where: sql`state = 'received' AND unfinished_claims = 0 AND octet_length(sealed_content) > ${smallBytes}::int`,
};
/** A worker died while it held the request, which may be the cause. It is read alone. */
const suspect = { limit: 1, where: sql`state = 'received' AND unfinished_claims > 0` };
const turns = [large, small, suspect];

const inboundLease = new ClaimTable({
  table: 'inbound_request',
  claim: { id: 'id', attempt: 'attempt' },
  expiresAt: 'next_attempt_at',
  held: sql`state::text = 'received'`,
});

const isWaiting = sql`state = 'received'`;

const claimDue = statement(
  {
    id: t.uuid,
    attempt: t.int,
    unfinishedClaims: t.int,
    provider: t.text,
    contentType: t.nullable(t.text),
    sealed: t.bytes,
    isVerified: t.bool,
  },
  (lease: Lease, sizes: typeof small) =>
    inboundLease.claimDue({
      ...lease,
      ...sizes,
      set: sql`unfinished_claims = unfinished_claims + 1`,
      returning: sql`id, attempt, unfinished_claims AS "unfinishedClaims", provider, content_type AS "contentType", sealed_content AS sealed,
        unverified_bytes IS NULL AS "isVerified"`,
    }),
  {
    samples: [
      [{ holder: 0n, leaseMs: 0 }, small],
      [{ holder: 0n, leaseMs: 0 }, large],
      [{ holder: 0n, leaseMs: 0 }, suspect],
    ],
  },
);

export const isRequestDue = statement(
  { isDue: t.bool },
  () => sql`
    SELECT EXISTS (SELECT FROM inbound_request WHERE ${isWaiting} AND next_attempt_at <= ${dueNow}) AS "isDue"`,
);

/** A request of a provider that this worker holds until its lease ends. */
export type ClaimedRequest = RowOf<typeof claimDue>;

export interface ReadRequest extends Pick<ClaimedRequest, 'id' | 'attempt' | 'sealed'> {
  readonly state: 'handled' | 'unparsed';
  /** Why all or part of the request could not be read. */
  readonly fault: string | null;
}

const storeResults = command(
  (results: readonly ReadRequest[]) => sql`
    UPDATE inbound_request SET state = result.state, fault = result.fault, sealed_content = result.sealed,
      next_attempt_at = NULL, lease_holder = NULL, unfinished_claims = 0
    FROM ${unnest('result', results, {
      uuid: ['id'],
      int: ['attempt'],
      inbound_state: ['state'],
      text: ['fault'],
      bytea: ['sealed'],
    })}
    WHERE inbound_request.id = ANY (${results.map(({ id }) => id)}::uuid[]) AND inbound_request.id = result.id AND inbound_request.attempt = result.attempt
      AND inbound_request.state::text = 'received'`,
);

const renewLeases = command(
  (lease: Lease, claims: readonly Pick<ClaimedRequest, 'id' | 'attempt'>[]) => sql`
    UPDATE inbound_request SET ${inboundLease.assign(lease)}
    FROM ${unnest('claim', claims, { uuid: ['id'], int: ['attempt'] })}
    WHERE inbound_request.id = ANY (${claims.map(({ id }) => id)}::uuid[]) AND inbound_request.id = claim.id AND inbound_request.attempt = claim.attempt
      AND inbound_request.state::text = 'received'`,
);

const takeOver = command((lease: Lease) => inboundLease.takeOver({ ...lease, where: isWaiting }));

const findSettings = statement(
  { name: t.text, kind: t.text, settings: t.json<object>() },
  (names: readonly string[]) =>
    sql`SELECT name, kind, settings FROM provider WHERE name = ANY (${names}::text[])`,
);

/**
 * Applies to all numbers of the account that have the owner of the provider: an organisation cannot change the templates of
 * another one. An older update does not replace a newer one, or what `pnpm admin templates sync` has read since.
 */
const storeTemplates = command(
  (provider: string, updates: readonly TemplateUpdate[]) => sql`
    INSERT INTO provider_template AS known (provider, name, language, status, reason, synced_at)
    SELECT DISTINCT ON (number.name, new.name, new.language) number.name, new.name, new.language, new.status, new.reason,
      least(coalesce(new.at, now()), now())
    FROM ${unnest('new', updates, {
      text: ['accountId', 'name', 'language', 'status', 'reason'],
      timestamptz: ['at'],
    })}
    JOIN provider AS receiver ON receiver.name = ${provider}
    JOIN provider AS number ON number.kind = 'whatsapp' AND number.settings ->> 'accountId' = new.account_id
      AND number.organisation_id IS NOT DISTINCT FROM receiver.organisation_id
    ORDER BY number.name, new.name, new.language, new.at DESC NULLS FIRST
    ON CONFLICT (provider, name, language) DO UPDATE
      SET status = excluded.status, reason = excluded.reason, synced_at = excluded.synced_at
      WHERE known.synced_at <= excluded.synced_at`,
);

export type ProviderSettings = RowOf<typeof findSettings>;

@Injectable()
export class InboundRepository {
  private readonly lease: Lease;
  private turn = -1;

  constructor(
    private readonly database: Database,
    holder: LeaseHolder,
  ) {
    this.lease = holder.lease(leaseMs);
    holder.onTakeover('inbound_request', (transaction, dead) =>
      transaction.run(takeOver, { holder: dead, leaseMs }),
    );
  }

  /** Large, small and suspect requests take turns, so that none waits for all of the others. */
  async claimDue(): Promise<readonly ClaimedRequest[]> {
    this.turn = (this.turn + 1) % turns.length;
    for (const sizes of [...turns.slice(this.turn), ...turns.slice(0, this.turn)]) {
      const claimed = await this.database.run(claimDue, this.lease, sizes);
      if (claimed.length > 0) return claimed;
    }
    return [];
  }

  async findSettings(names: readonly string[]): Promise<ReadonlyMap<string, ProviderSettings>> {
    const rows = await this.database.run(findSettings, names);
    return new Map(rows.map((row) => [row.name, row]));
  }

  async updateTemplates(provider: string, updates: readonly TemplateUpdate[]): Promise<void> {
    if (updates.length > 0) await this.database.run(storeTemplates, provider, updates);
  }

  async store(results: readonly ReadRequest[]): Promise<void> {
    if (results.length > 0) await this.database.run(storeResults, results);
  }

  /** Extends the leases. @throws LeaseLostError if one of them is lost */
  async renew(requests: readonly ClaimedRequest[]): Promise<void> {
    if (requests.length === 0) return;
    const renewed = await this.database.run(renewLeases, this.lease, requests);
    if (renewed < requests.length) throw new LeaseLostError();
  }

  async release({ id, attempt }: ClaimedRequest, delayMs: number): Promise<void> {
    await inboundLease.finish(
      this.database,
      { id, attempt },
      sql`next_attempt_at = ${dueAfter(delayMs)}, unfinished_claims = 0`,
    );
  }
}
