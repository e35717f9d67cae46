import {
  findUnanswered,
  listUnanswered,
  settleUnanswered,
  type UnansweredDecision,
  type UnansweredFilter,
} from '@gangan/management';
import type { Command } from 'commander';
import { reportRequests } from '../approvals/report-pending.js';
import { pastTime } from '../session/arguments.js';
import { CommandError } from '../session/errors.js';
import { Money } from '../session/print.js';
import { addCommand, type AdminSession } from '../session/session.js';

interface Options {
  readonly provider?: string;
  readonly organisation?: string;
  readonly since?: Date;
  readonly refund?: true;
  readonly resend?: true;
  readonly keep?: true;
}

const decisions = ['refund', 'resend', 'keep'] as const;
const maxListed = 1_000;

const questions: Readonly<Record<UnansweredDecision, string>> = {
  refund: 'Refund them? Recipients may have got the message',
  resend: 'Send them again? Recipients may get the message twice',
  keep: 'Leave them charged? They are no longer listed',
};

export function addUnansweredCommand(group: Command, session: AdminSession): void {
  addCommand(
    group,
    'unanswered',
    'list messages that a provider may have accepted, and refund them or send them again',
    [
      '',
      '--provider termii --since 6h',
      '--provider termii --since 6h --refund',
      '--organisation acme/live --resend',
    ],
    `The provider gave no answer, and no report has arrived. Such messages stay charged: some of them were sent. Compare them
with what the provider shows, then decide. Messages that have ended and OTPs cannot be sent again. What is due soon is sent
again, or its provider is asked, without a decision: wait until it has settled. If what is refunded exceeds the limit of
\`pnpm admin approvals limit\`, another operator must approve it (exit code 3).`,
  )
    .option('--provider <name>', 'only those that this provider may have')
    .option('--organisation <organisation>', 'only of this organisation')
    .option('--since <when>', 'only those sent since then, such as 6h (ago) or 2026-11-15T09:30', pastTime)
    .option('--refund', 'refund them; open ones end as failed, with a callback')
    .option('--resend', 'send open ones again, to the next provider of the route')
    .option('--keep', 'leave them charged, and do not list them again')
    .action(async (options: Options) => {
      const { provider, organisation, since } = options;
      const owner = organisation === undefined ? undefined : await session.organisation(organisation);
      const filter = { provider, since, organisationId: owner?.id };
      const [decision, second] = decisions.filter((each) => options[each]);
      if (second) throw new CommandError('Use one of --refund, --resend and --keep.');
      if (decision) {
        await settle(session, filter, decision);
        return;
      }
      const database = await session.database();
      const found = await listUnanswered(database, filter, maxListed);
      const rows = found.map(({ kobo, ...row }) => ({ ...row, naira: new Money(kobo) }));
      session.list(rows, 'No message waits for an answer.');
      if (found.length < maxListed) return;
      const { length } = await findUnanswered(database, filter, 'refund');
      session.remark(`${length} match; the oldest ${found.length} are listed.`);
    });
}

async function settle(
  session: AdminSession,
  filter: UnansweredFilter,
  decision: UnansweredDecision,
): Promise<void> {
  const found = await findUnanswered(await session.database(), filter, decision);
  if (found.length > 0) {
    const kobo = found.reduce((sum, delivery) => sum + delivery.kobo, 0n);
    const retried = found.filter(({ isRetried }) => isRetried).length;
    const otps = decision === 'refund' ? found.filter(({ isOpenOtp }) => isOpenOtp).length : 0;
    const sentences = [
      `${found.length} deliveries match, charged NGN ${new Money(kobo).text}.`,
      retried > 0 && `${retried} of them are sent again or asked about within 10 minutes anyway.`,
      otps > 0 &&
        `${otps} of them are open OTPs: if nothing else was sent, a token that did arrive is refused afterwards.`,
      `${questions[decision]}.`,
    ];
    await session.confirm(sentences.filter(Boolean).join(' '));
  }
  const { ended, open, approvals } = await settleUnanswered(await session.access(), found, decision);
  const done = {
    refund: `${ended} are refunded; a running messaging worker refunds ${open} open ones within a minute.`,
    resend: `A running messaging worker sends ${open} again within a minute.`,
    keep: `${open} stay charged.`,
  };
  const row = { decision, settled: ended + open };
  if (!reportRequests(session, approvals, row, done[decision])) session.done(done[decision], row);
}
