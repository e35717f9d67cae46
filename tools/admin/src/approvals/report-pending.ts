import type { ChangeResult } from '@gangan/management';
import type { Row } from '../session/print.js';
import type { AdminSession } from '../session/session.js';

/** The exit code of a change that was requested. */
const waitsForApproval = 3;

/** @returns whether the change waits for another operator; then it is reported */
export function reportPending(
  session: AdminSession,
  { state, approval }: ChangeResult,
  row: Row,
  nothing = 'Nothing has changed',
): boolean {
  if (state !== 'pending' || approval === null) return false;
  session.exitCode = waitsForApproval;
  session.done(
    `${nothing}: another operator must approve it within 7 days with \`pnpm admin approve ${approval}\`.`,
    { ...row, state, approval },
  );
  return true;
}

/**
 * For a command that makes several changes.
 * @param done what it has changed without an approval
 * @returns whether some changes wait for another operator; then they are reported
 */
export function reportRequests(
  session: AdminSession,
  approvals: readonly string[],
  row: Row,
  done: string,
): boolean {
  if (approvals.length === 0) return false;
  session.exitCode = waitsForApproval;
  const commands = approvals.map((id) => `\`pnpm admin approve ${id}\``).join(', ');
  session.done(`${done} Another operator must approve the rest within 7 days with ${commands}.`, {
    ...row,
    state: 'pending',
    approvals: [...approvals],
  });
  return true;
}
