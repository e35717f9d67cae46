import type { Command } from 'commander';
import { addCommand, type AdminSession } from '../session/session.js';
import { chainsOf } from './audit-chain.js';
import { checkAudit } from './check-chain.js';
import { readHeads } from './heads-file.js';

export function addHeadsCommand(group: Command, session: AdminSession): void {
  addCommand(
    group,
    'heads',
    'print the last number and hash of each chain, to be kept where operators cannot change them',
    ['--json'],
  ).action(async () => {
    const chains = await chainsOf(await session.database());
    session.list(
      chains.map(({ organisationId, number, hash }) => ({
        organisation: organisationId,
        number: Number(number),
        hash: hash.toString('hex'),
      })),
      'The audit log has no entries.',
    );
  });
}

export function addCheckCommand(group: Command, session: AdminSession): void {
  addCommand(
    group,
    'check',
    'find entries that were changed, removed or added; exits with 1 if there are any',
    ['', '--heads heads.json'],
    `Each entry has a hash that covers it and the entry before it of the same organisation. The hashes alone do not show
that the last entries were removed, or that all hashes were computed again: compare them with heads that were kept elsewhere.`,
  )
    .option('--heads <file>', 'what `audit heads --json` printed earlier, or a log of the contacts worker')
    .action(async ({ heads: path }: { readonly heads?: string }) => {
      const heads = path === undefined ? [] : await readHeads(path);
      const {
        chains,
        entries,
        heads: compared,
        findings,
      } = await checkAudit(await session.database(), heads);
      if (findings.length > 0) session.exitCode = 1;
      session.show({
        clean: findings.length === 0,
        chains,
        entries,
        ...(path !== undefined && { compared_heads: compared }),
        findings: findings.map(({ rule, organisationId, number, message }) => ({
          rule,
          organisation: organisationId,
          number: number === undefined ? undefined : Number(number),
          message,
        })),
      });
    });
}
