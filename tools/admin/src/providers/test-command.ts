import { parsePhone } from '@gangan/contracts';
import { openProvider, requireTestable, testProvider } from '@gangan/management';
import type { Command } from 'commander';
import { sender as senderArgument, singleLine } from '../session/arguments.js';
import { CommandError } from '../session/errors.js';
import { StoredJson } from '../session/print.js';
import { addCommand, type AdminSession } from '../session/session.js';

interface TestOptions {
  readonly text: string;
  readonly sender?: string;
  readonly template?: string;
  readonly language: string;
}

export function addTestCommand(group: Command, session: AdminSession): void {
  addCommand(
    group,
    'test <name>',
    'send one real message, or look one number up, and show the request and the answer without secrets',
    ['termii 08031234567 --sender Acme', 'whatsapp 08031234567 --template hello_world', 'hlr 08031234567'],
    'It costs what the provider charges. No organisation is charged, and neither message nor finding is stored.',
  )
    .argument('<phone>', 'who gets the message, or which number is looked up')
    .option('--text <text>', 'of the message', singleLine(160), 'This is a test message.')
    .option('--sender <sender>', 'of the message: one that is registered at the provider', senderArgument)
    .option(
      '--template <name>',
      'WhatsApp: a template without variables, instead of the text',
      singleLine(512),
    )
    .option('--language <code>', 'WhatsApp: of the template', singleLine(16), 'en_US')
    .action(async (name: string, given: string, options: TestOptions) => {
      const { text, sender = '', template, language } = options;
      const phone = parsePhone(given, session.settings.defaultRegion);
      if (!phone) throw new CommandError(`"${given}" is not a phone number.`);
      const provider = await openProvider(await session.database(), session.sealer, name);
      requireTestable(provider, sender);
      await session.confirm(
        provider.domain === 'lookup'
          ? `Look the number up at ${name}?`
          : `Send a real message through ${name}?`,
      );
      const call = await testProvider(await session.access(), provider, phone, {
        text,
        sender,
        template: template === undefined ? undefined : { name: template, language },
        publicUrl: session.settings.variable('PUBLIC_URL'),
      });
      const { outcome, reference, finding, reason, detail, failure } = call;
      const { request, answer } = call.shown;
      if (outcome !== 'accepted') session.exitCode = 1;
      session.show({
        outcome,
        finding: finding && new StoredJson(finding),
        reference,
        reason,
        detail,
        failure,
        request: `${request.method ?? 'POST'} ${request.url}`,
        request_headers: new StoredJson(request.headers),
        request_body: request.body,
        answer_status: answer?.status,
        answer_body: answer?.text,
      });
    });
}
