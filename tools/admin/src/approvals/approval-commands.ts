import {
  type Approval,
  approvalLimit,
  decideRequest,
  findApproval,
  findOrganisation,
  listApprovals,
  requestApprovalLimit,
} from '@gangan/management';
import type { Command } from 'commander';
import { notNegative, wholeNumber } from '../session/arguments.js';
import { Money, type Row } from '../session/print.js';
import { addCommand, addExamples, type AdminSession } from '../session/session.js';
import { reportPending } from './report-pending.js';
import { actionNames, describeChange } from './describe-approval.js';

const idArgument = ['<id>', 'id of the request, as `approvals` shows it'] as const;
const example = '0198f3c2-7b1e-7c2a-9d55-0a1b2c3d4e5f';

/** `approve` and `reject` are single commands. */
export function addCommands(group: Command, session: AdminSession): void {
  const name = group.name();
  if (name === 'approve') addApproveCommand(group, session);
  else if (name === 'reject') addRejectCommand(group, session);
  else {
    addListCommand(group, session);
    addLimitCommand(group, session);
  }
}

interface ListOptions {
  readonly organisation?: string;
  readonly all?: true;
  readonly limit: number;
}

/** `approvals` without a command lists, too. */
function addListCommand(group: Command, session: AdminSession): void {
  const command = group.command('list', { isDefault: true }).description('list requests, the newest first');
  addExamples(command, ['', '--all --organisation acme/live'])
    .option('--organisation <organisation>', 'only requests of this organisation')
    .option('--all', 'decided and expired requests too')
    .option('--limit <n>', 'at most this many, the newest', wholeNumber(1, 10_000), 100)
    .action(async ({ organisation, all, limit }: ListOptions) => {
      const database = await session.database();
      const owner = organisation === undefined ? undefined : await findOrganisation(database, organisation);
      const approvals = await listApprovals(database, { organisationId: owner?.id, all, limit });
      session.list(approvals.map(rowOf), 'There are no such requests.');
    });
}

const off = 'off';

function addLimitCommand(group: Command, session: AdminSession): void {
  addCommand(
    group,
    'limit [naira]',
    'show what an operator may move without an approval, or request another limit',
    ['', '500000', 'off'],
    'The limit counts per operator and per account in 24 hours. 0 means that every amount needs an approval, off that none does.',
  ).action(async (given: string | undefined) => {
    const database = await session.database();
    if (given === undefined) {
      const kobo = await approvalLimit(database);
      session.show({ approval_above: kobo === null ? off : new Money(kobo) });
      return;
    }
    const kobo = given === off ? null : notNegative(given);
    await session.confirm(`Request the limit ${kobo === null ? off : `${new Money(kobo).text} naira`}?`);
    const requested = await requestApprovalLimit(await session.access(), kobo);
    reportPending(session, requested, {}, 'The limit has not changed');
  });
}

function addApproveCommand(command: Command, session: AdminSession): void {
  addExamples(command.argument(...idArgument), [example]).action(async (id: string) => {
    const database = await session.database();
    const wanted = await findApproval(database, id);
    if (wanted.state === 'pending') await session.confirm(`Approve ${describe(wanted)}? It is done at once.`);
    const after = await decideRequest(await session.access(), id, 'approved');
    const balance = after === null ? undefined : new Money(after);
    session.done(`Approved: ${describe(wanted)}.${balance ? ` The balance is ${balance.text}.` : ''}`, {
      approval: id,
      state: 'approved',
      ...(balance && { booked: true, balance }),
    });
  });
}

function addRejectCommand(command: Command, session: AdminSession): void {
  addExamples(command.argument(...idArgument), [example]).action(async (id: string) => {
    const database = await session.database();
    const wanted = await findApproval(database, id);
    await decideRequest(await session.access(), id, 'rejected');
    session.done(`Rejected: ${describe(wanted)}. Nothing has changed.`, { approval: id, state: 'rejected' });
  });
}

const describe = (approval: Approval): string =>
  `the request of ${approval.requestedBy} (${approval.requestedLogin ?? 'unknown login'}) to ${describeChange(approval)}${approval.note === null ? '' : ` ("${approval.note}")`}`;

const rowOf = (approval: Approval): Row => ({
  id: approval.id,
  organisation: approval.organisation,
  action: actionNames[approval.action],
  naira: approval.kobo === null ? undefined : new Money(approval.kobo),
  change: describeChange(approval),
  note: approval.note,
  state: approval.state,
  requested_by: approval.requestedBy,
  requested_login: approval.requestedLogin,
  requested: approval.requestedAt,
  expires: approval.expiresAt,
  decided_by: approval.decidedBy,
  decided_login: approval.decidedLogin,
  decided: approval.decidedAt,
});
