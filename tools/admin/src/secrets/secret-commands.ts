import { rotateCallbackSecret, sql } from '@gangan/database';
import type { Command } from 'commander';
import { duration } from '../session/arguments.js';
import type { AdminSession } from '../session/session.js';
import type { Row } from '../session/print.js';
import { isSoon } from '../session/soon.js';
import { findOrganisation } from '../organisations/find-organisation.js';

export function addSecretCommands(group: Command, session: AdminSession): void {
  group
    .command('list')
    .description('since when and until when secrets sign, without the secrets themselves')
    .argument('<organisation>')
    .addHelpText('after', '\nExample:\n  pnpm admin secrets list acme/live')
    .action(async (given: string) => {
      const database = await session.database();
      const { id } = await findOrganisation(database, given);
      const rows = await database.query<{
        id: string;
        created: Date;
        retires: Date | null;
        signs: boolean;
      }>(sql`
        SELECT id, created_at AS created, retires_at AS retires, (retires_at IS NULL OR retires_at > now()) AS signs
        FROM callback_secret WHERE organisation_id = ${id} ORDER BY id`);
      session.list(
        rows.map((row): Row => ({ ...row, retires: row.retires ?? undefined })),
        'There is no secret: make one with `pnpm admin secrets rotate`.',
      );
    });

  group
    .command('rotate')
    .description('make a new secret; callbacks are signed with both until the old one retires')
    .argument('<organisation>')
    .option('--overlap <time>', 'how long the old one still signs', duration, duration('24h'))
    .addHelpText('after', '\nExample:\n  pnpm admin secrets rotate acme/live --overlap 3d')
    .action(async (given: string, { overlap }: { overlap: number }) => {
      const database = await session.database();
      const { id, label } = await findOrganisation(database, given);
      const retiresAt = new Date(Date.now() + overlap);
      if (isSoon(retiresAt)) {
        await session.confirm(
          `The secret that ${label} verifies with now would stop signing at ${retiresAt.toISOString()}. Go on?`,
        );
      }
      const [predecessor] = await database.query<{ retires: Date }>(sql`
        SELECT retires_at AS retires FROM callback_secret
        WHERE organisation_id = ${id} AND retires_at > now() ORDER BY retires_at DESC LIMIT 1`);
      if (predecessor) {
        await session.confirm(
          `${label} was given a secret not long ago: the one before it, which signs until ${predecessor.retires.toISOString()}, would stop now. Go on?`,
        );
      }
      const secret = await database.transaction((transaction) =>
        rotateCallbackSecret(transaction, id, retiresAt),
      );
      session.show({ callback_secret: secret, organisation: label, old_secret_signs_until: retiresAt });
      session.remark('Give it to the customer now: it is shown this once.');
    });
}
