import { usageSince } from '@gangan/management';
import { type Command, Option } from 'commander';
import { pastTime, wholeNumber } from '../session/arguments.js';
import { Money } from '../session/print.js';
import { addExamples, type AdminSession } from '../session/session.js';

const orders = ['requests', 'messages', 'money', 'storage'] as const;

interface UsageOptions {
  readonly since: Date;
  readonly by: (typeof orders)[number];
  readonly limit: number;
}

/** `pnpm admin usage` */
export function addCommands(usage: Command, session: AdminSession): void {
  addExamples(
    usage,
    ['', '--since 7d --by money', '--by storage --limit 5'],
    `Requests are counted from the beginning of the hour of --since, and the counts are kept for 31 days; requests from before the
upgrade to this version were not counted. Messages are recipients, those of OTPs too. Money is what was charged less what was
refunded. Storage is what the quotas count, in bytes: contacts, smartlists, imports, exports, and responses that are kept for
an Idempotency-Key.`,
  )
    .addOption(
      new Option('--since <when>', 'count from this time on, such as 7d (ago) or 2026-11-15')
        .argParser(pastTime)
        .default(dayAgo(), '1d'),
    )
    .addOption(new Option('--by <figure>', 'what comes first').choices(orders).default('requests'))
    .option('--limit <number>', 'how many organisations', wholeNumber(1, 100_000), 20)
    .action(async ({ since, by, limit }: UsageOptions) => {
      const rows = await usageSince(await session.database(), since);
      const ordered = rows.toSorted((one, other) => (one[by] < other[by] ? 1 : one[by] > other[by] ? -1 : 0));
      session.list(
        ordered.slice(0, limit).map((row) => ({
          ...row,
          requests: Number(row.requests),
          messages: Number(row.messages),
          money: new Money(row.money),
          storage: Number(row.storage),
        })),
        'No organisation was active in this time, and none stores anything.',
      );
    });
}

const dayAgo = (): Date => new Date(Date.now() - 86_400_000);
