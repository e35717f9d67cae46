import { normalizeWord, type OptOutSettings } from '@gangan/contracts';
import { optOutSettings, readSettings } from '@gangan/management';
import type { Command } from 'commander';
import { wordList } from '../session/arguments.js';
import type { Row } from '../session/print.js';
import { addCommand, type AdminSession } from '../session/session.js';
import { setOptions } from '../session/set-options.js';
import { addImportCommand } from './import-command.js';

export function addCommands(group: Command, session: AdminSession): void {
  addImportCommand(group, session);

  addCommand(group, 'show <organisation>', 'show the stop words and the help text of an organisation').action(
    async (given: string) => {
      const { database, ...organisation } = await session.organisation(given);
      session.show(rowOf(await readSettings(database, organisation, optOutSettings)));
    },
  );

  addCommand(
    group,
    'set <organisation>',
    'change its own stop words or its help text; the other stays as it is. default removes a setting',
    [
      'acme/live --stop-words ARRETER,TAMAM',
      "acme/live --help-text 'Acme: STOP ends our offers. Questions: 0700 123 4567'",
      'acme/live --help-text default',
    ],
    'STOP, UNSUBSCRIBE, END, CANCEL and QUIT are always stop words. Without a help text, HELP is not answered.',
  )
    .option('--stop-words <list>', 'words that opt out, in addition to the standard ones', wordList())
    .option('--help-text <text>', 'answer to HELP, at most 480 characters')
    .action(async (given: string, options: Record<string, unknown>) => {
      session.show(rowOf(await setOptions(session, given, optOutSettings, options)));
    });
}

const rowOf = ({ stop_words: words = [], help_text: text }: OptOutSettings): Row => ({
  stop_words: [...new Set(words.map(normalizeWord))].join(', ') || 'none of its own',
  help_text: text ?? 'none: HELP is not answered',
});
