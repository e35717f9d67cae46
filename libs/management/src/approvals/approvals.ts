import { type ApprovalState, type Database, type RowOf, sql, type Sql, statement, t } from '@gangan/database';
import { isId } from '@gangan/protocol';
import { type Access, callFunction, changeColumns, type ChangeResult, changeResult } from '../access.js';
import { Refusal } from '../refusal.js';

export type ApprovalAction =
  | 'top_up'
  | 'adjustment'
  | 'price'
  | 'limits'
  | 'resolution'
  | 'refund'
  | 'approval_limit';

const shape = {
  id: t.uuid,
  organisation: t.nullable(t.text),
  action: t.textOf<ApprovalAction>(),
  subject: t.text,
  kobo: t.nullable(t.bigint),
  note: t.nullable(t.text),
  change: t.json<Readonly<Record<string, unknown>>>(),
  state: t.enumOf<ApprovalState>('approval_state'),
  requestedBy: t.text,
  requestedLogin: t.nullable(t.text),
  requestedAt: t.timestamp,
  expiresAt: t.timestamp,
  decidedBy: t.nullable(t.text),
  decidedLogin: t.nullable(t.text),
  decidedAt: t.nullable(t.timestamp),
};

const selectApprovals = (where: Sql): Sql => sql`
  SELECT approval.id, account.name || '/' || mode AS organisation, action, subject, kobo, note, change,
    CASE WHEN approval.state = 'pending' AND expires_at <= now() THEN 'expired' ELSE approval.state END AS state,
    requested_by AS "requestedBy", requested_login AS "requestedLogin", requested_at AS "requestedAt",
    expires_at AS "expiresAt", decided_by AS "decidedBy", decided_login AS "decidedLogin", decided_at AS "decidedAt"
  FROM approval
  LEFT JOIN organisation ON organisation.id = approval.organisation_id
  LEFT JOIN account ON account.id = organisation.account_id
  WHERE ${where}`;

/** A request as it is now: one that was not decided in time is `expired`. */
export type Approval = RowOf<typeof selectApproval>;

const selectApproval = statement(shape, (id: string) => selectApprovals(sql`approval.id = ${id}::uuid`));

/** @throws Refusal if there is no such request */
export async function findApproval(database: Database, id: string): Promise<Approval> {
  const [found] = isId(id) ? await database.run(selectApproval, id) : [];
  if (found) return found;
  throw new Refusal('not_found', `There is no request ${id}`, {
    next: 'list_approvals',
  });
}

export interface ApprovalFilter {
  readonly organisationId?: string | undefined;
  /** Decided and expired ones too. */
  readonly all?: true | undefined;
  readonly limit: number;
}

const selectRequests = statement(shape, ({ organisationId, all, limit }: ApprovalFilter) =>
  selectApprovals(sql`
    (${organisationId ?? null}::uuid IS NULL OR approval.organisation_id = ${organisationId ?? null}::uuid)
    AND (${all ?? false} OR (approval.state = 'pending' AND expires_at > now()))
    ORDER BY approval.id DESC LIMIT ${limit}`),
);

/** The newest first. */
export const listApprovals = (database: Database, filter: ApprovalFilter): Promise<Approval[]> =>
  database.run(selectRequests, filter);

const callDecideRequest = statement(
  { balance: t.nullable(t.bigint) },
  (id: string, state: 'approved' | 'rejected', actor: string) => sql`
    SELECT (result ->> 'balance')::bigint AS balance
    FROM decide_request(${id}::uuid, ${state}::approval_state, ${actor}) AS result`,
);

/**
 * Carries out or rejects a request. The database checks who decides.
 * @returns the balance after a booking, otherwise null
 */
export const decideRequest = async (
  { database, principal }: Access,
  id: string,
  decision: 'approved' | 'rejected',
): Promise<bigint | null> =>
  (await callFunction(database, callDecideRequest, id, decision, principal.name)).balance;

const findLimit = statement(
  { kobo: t.nullable(t.bigint) },
  () => sql`SELECT limit_kobo AS kobo FROM approval_setting`,
);

/** What may be moved without an approval; null is no limit. */
export const approvalLimit = async (database: Database): Promise<bigint | null> =>
  (await database.run(findLimit))[0]?.kobo ?? null;

const callSetApprovalLimit = statement(
  changeResult,
  (kobo: bigint | null, actor: string) => sql`
    SELECT ${changeColumns} FROM set_approval_limit(${kobo}::bigint, ${actor}) AS result`,
);

/** Requests another limit; null is no limit. */
export const requestApprovalLimit = (
  { database, principal }: Access,
  kobo: bigint | null,
): Promise<ChangeResult> => callFunction(database, callSetApprovalLimit, kobo, principal.name);
