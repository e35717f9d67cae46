import { channels, parsePhone } from '@gangan/contracts';
import type { Channel } from '@gangan/database';
import { importOptOuts } from '@gangan/management';
import { type Command, Option } from 'commander';
import { basename } from 'node:path';
import { readLines } from '../registry/read-file.js';
import { RejectedLines } from '../registry/rejected-lines.js';
import { CommandError } from '../session/errors.js';
import { addCommand, type AdminSession } from '../session/session.js';

const batchSize = 10_000;

interface Options {
  readonly channel: Channel;
  readonly rejected?: string;
}

export function addImportCommand(group: Command, session: AdminSession): void {
  addCommand(
    group,
    'import <organisation>',
    'add the numbers of a file to the opt-outs of an organisation',
    ['acme/live optouts.csv', 'acme/live optouts.csv --channel whatsapp'],
    `The first column is the number. Bad lines are reported and skipped; numbers that have opted out before stay.
If it is interrupted, repeat it.`,
  )
    .argument('<file.csv>', 'with or without a first line that names the columns')
    .addOption(new Option('--channel <channel>', 'of the opt-outs').choices(channels).default('sms'))
    .option('--rejected <file>', 'file for the list of bad lines (default: <file.csv>.rejected.csv)')
    .action(async (given: string, path: string, { channel, rejected: rejectedPath }: Options) => {
      const organisation = await session.organisation(given);
      const bad = new RejectedLines(rejectedPath ?? `${path}.rejected.csv`, (line) => {
        session.remark(line);
      });
      const counts = { lines: 0, rejected: 0, added: 0 };
      let phones: string[] = [];
      const store = async (): Promise<void> => {
        await bad.flush();
        const batch = { channel, file: basename(path), phones };
        if (phones.length > 0)
          counts.added += await importOptOuts(await session.access(), organisation, batch);
        phones = [];
      };
      for await (const { number, cells } of readLines(path)) {
        counts.lines += 1;
        const phone = parsePhone(cells?.[0] ?? '', session.settings.defaultRegion)?.e164;
        if (phone === undefined) {
          counts.rejected += 1;
          bad.add(number, 'the first column is not a phone number');
        } else if (phones.push(phone) === batchSize) await store();
      }
      await store();
      if (counts.rejected === counts.lines) throw new CommandError(`${path} has no phone numbers.`);
      session.done(
        `${counts.added} of ${counts.lines} numbers are new opt-outs of ${organisation.label} on the channel ${channel}.`,
        { organisation: organisation.id, channel, ...counts },
      );
    });
}
