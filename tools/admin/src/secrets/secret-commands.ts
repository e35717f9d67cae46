import { rotateCallbackSecret } from '@gangan/database';
import type { Command } from 'commander';
import { duration, isSoon } from '../session/arguments.js';
import { addCommand, type AdminSession } from '../session/session.js';
import { addKeysCommand } from './keys-command.js';
import { addResealCommand, addStatusCommand } from './sealing-commands.js';

export function addCommands(group: Command, session: AdminSession): void {
  const listing = 'list when each secret starts and stops signing; the secrets are not shown';
  addCommand(group, 'list <organisation>', listing).action(async (given: string) => {
    const { database, id } = await session.organisation(given);
    const where = { organisationId: id };
    const secrets = await database.callbackSecret.findMany({ where, orderBy: { id: 'asc' } });
    session.list(
      secrets.map((secret) => ({
        id: secret.id,
        created: secret.createdAt,
        retires: secret.retiresAt,
        signs: !secret.retiresAt || secret.retiresAt > new Date(),
      })),
      'There is no secret: create one with `pnpm admin secrets rotate`.',
    );
  });

  const description = 'create a secret; callbacks are signed with both until the old one retires';
  addCommand(group, 'rotate <organisation>', description, ['acme/live --overlap 3d'])
    .option('--overlap <time>', 'how long the old secret still signs', duration, duration('24h'))
    .action(async (given: string, { overlap }: { overlap: number }) => {
      const { database, id, label } = await session.organisation(given);
      const sealer = await session.sealer();
      const retiresAt = new Date(Date.now() + overlap);
      if (isSoon(retiresAt)) {
        await session.confirm(
          `The current secret of ${label} would stop signing at ${retiresAt.toISOString()}. Continue?`,
        );
      }
      const retiring = await database.callbackSecret.findFirst({
        where: { organisationId: id, retiresAt: { gt: new Date() } },
        orderBy: { retiresAt: 'desc' },
      });
      if (retiring?.retiresAt) {
        await session.confirm(
          `The previous secret of ${label} signs until ${retiring.retiresAt.toISOString()} and would stop now. Continue?`,
        );
      }
      const secret = await database.transaction(async (transaction) => {
        const created = await rotateCallbackSecret(transaction, sealer, id, retiresAt);
        const after = { old_secret_signs_until: retiresAt };
        await session.audit(transaction, { organisationId: id, target: label, after });
        return created;
      });
      session.show({ callback_secret: secret, organisation: label, old_secret_signs_until: retiresAt });
      session.remark('Give the secret to the customer now: it is not shown again.');
    });

  addKeysCommand(group, session);
  addStatusCommand(group, session);
  addResealCommand(group, session);
}
