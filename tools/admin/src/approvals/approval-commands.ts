import { isLockTimeout, retryTransient, type SqlRunner } from '@gangan/database';
import { isId } from '@gangan/protocol';
import type { Command } from 'commander';
import { book, type Booking } from '../money/booking.js';
import { wholeNumber } from '../session/arguments.js';
import { CommandError } from '../session/errors.js';
import { findOrganisation } from '../session/find-organisation.js';
import { Money, type Row } from '../session/print.js';
import { addExamples, type AdminSession } from '../session/session.js';
import { type Approval, decide, find, list, lock } from './approval.repository.js';

const idArgument = ['<id>', 'id of the request, as `approvals` shows it'] as const;
const example = '0198f3c2-7b1e-7c2a-9d55-0a1b2c3d4e5f';

/** Each of these groups is a single command. */
export function addCommands(group: Command, session: AdminSession): void {
  const name = group.name();
  if (name === 'approve') addApproveCommand(group, session);
  else if (name === 'reject') addRejectCommand(group, session);
  else addListCommand(group, session);
}

interface ListOptions {
  readonly organisation?: string;
  readonly all?: true;
  readonly limit: number;
}

function addListCommand(command: Command, session: AdminSession): void {
  addExamples(command, ['', '--all --organisation acme/live'])
    .option('--organisation <organisation>', 'only requests of this organisation')
    .option('--all', 'decided and expired requests too')
    .option('--limit <n>', 'at most this many, the newest', wholeNumber(1, 10_000), 100)
    .action(async ({ organisation, all, limit }: ListOptions) => {
      const database = await session.database();
      const owner = organisation === undefined ? undefined : await findOrganisation(database, organisation);
      const approvals = await list(database, { organisationId: owner?.id, all, limit });
      session.list(approvals.map(rowOf), 'There are no such requests.');
    });
}

function addApproveCommand(command: Command, session: AdminSession): void {
  addExamples(command.argument(...idArgument), [example]).action(async (id: string) => {
    const database = await session.database();
    const wanted = assertPending(isId(id) ? await find(database, id) : undefined, id);
    assertSecondPerson(wanted, session.actor);
    await session.confirm(`Approve ${describe(wanted)}? The money moves at once.`);
    const approve = () =>
      database.transaction(async (transaction) => {
        const approval = assertPending(await lock(transaction, id), id);
        const { moved, balance: after } = await book(transaction, bookingOf(approval));
        if (!moved)
          throw new CommandError(
            `This reference is already booked, without this request: run \`pnpm admin reject ${id}\`.`,
          );
        await decide(transaction, id, 'approved', session.actor);
        await record(session, transaction, approval, 'approved', after);
        return new Money(after);
      });
    const balance = await retryTransient(approve, { isRetryable: isLockTimeout });
    session.done(`Approved: ${describe(wanted)}. The balance is ${balance.text}.`, {
      approval: id,
      state: 'approved',
      booked: true,
      balance,
    });
  });
}

function addRejectCommand(command: Command, session: AdminSession): void {
  addExamples(command.argument(...idArgument), [example]).action(async (id: string) => {
    const database = await session.database();
    const rejected = await database.transaction(async (transaction) => {
      const approval = assertPending(isId(id) ? await lock(transaction, id) : undefined, id);
      await decide(transaction, id, 'rejected', session.actor);
      await record(session, transaction, approval, 'rejected');
      return approval;
    });
    session.done(`Rejected: ${describe(rejected)}. No money has moved.`, {
      approval: id,
      state: 'rejected',
      booked: false,
    });
  });
}

function assertPending(approval: Approval | undefined, id: string): Approval {
  if (!approval) throw new CommandError(`There is no request ${id}: \`pnpm admin approvals\` lists them.`);
  if (approval.state === 'pending') return approval;
  const decision =
    approval.state === 'expired'
      ? `expired at ${approval.expiresAt.toISOString()}: request it again`
      : `was ${approval.state} by ${approval.decidedBy ?? ''} at ${approval.decidedAt?.toISOString() ?? ''}`;
  throw new CommandError(`The request ${id} ${decision}.`);
}

/** Compared without case, as the database does. */
function assertSecondPerson({ requestedBy }: Approval, actor: string): void {
  if (requestedBy.toLowerCase() !== actor.toLowerCase()) return;
  throw new CommandError(
    `${requestedBy} has requested this, so another person must approve it. You are ${actor}: the name is GANGAN_ACTOR, else the user of the operating system.`,
  );
}

const bookingOf = ({ kind, organisationId, subjectId, kobo, note }: Approval): Booking => ({
  kind,
  organisationId,
  subjectId,
  kobo,
  ...(note !== null && { note }),
});

/**
 * Adds a decision to the audit log.
 * @param balance after the booking, if there was one
 */
const record = (
  session: AdminSession,
  transaction: SqlRunner,
  { id, organisationId, organisation, kind, kobo, subjectId, note, requestedBy }: Approval,
  state: 'approved' | 'rejected',
  balance?: bigint,
): Promise<void> =>
  session.audit(transaction, {
    organisationId,
    target: organisation,
    before: {
      approval: id,
      state: 'pending',
      requested_by: requestedBy,
      ...(balance !== undefined && { balance: new Money(balance - kobo) }),
    },
    after: {
      state,
      kind,
      naira: new Money(kobo),
      subject: subjectId,
      note,
      ...(balance !== undefined && { balance: new Money(balance) }),
    },
  });

const names = { top_up: 'top-up', adjustment: 'adjustment' };

const describe = ({ kind, kobo, organisation, requestedBy, note }: Approval): string =>
  `the ${names[kind]} of ${new Money(kobo).text} naira for ${organisation}, requested by ${requestedBy}${note === null ? '' : ` ("${note}")`}`;

const rowOf = (approval: Approval): Row => ({
  id: approval.id,
  organisation: approval.organisation,
  kind: names[approval.kind],
  naira: new Money(approval.kobo),
  note: approval.note,
  state: approval.state,
  requested_by: approval.requestedBy,
  requested: approval.requestedAt,
  expires: approval.expiresAt,
  decided_by: approval.decidedBy,
  decided: approval.decidedAt,
});
