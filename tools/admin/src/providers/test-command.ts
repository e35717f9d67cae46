import { parsePhone } from '@gangan/contracts';
import { newId } from '@gangan/protocol';
import { HttpCaller, HttpClients, type HttpSettings } from '@gangan/providers';
import type { Command } from 'commander';
import { sender as senderArgument, singleLine } from '../session/arguments.js';
import { CommandError } from '../session/errors.js';
import { StoredJson } from '../session/print.js';
import { addCommand, type AdminSession } from '../session/session.js';
import { ProviderStore, withSecrets } from './provider-store.js';

const maxTimeoutMs = 30_000;

export function addTestCommand(group: Command, session: AdminSession): void {
  addCommand(
    group,
    'test <name>',
    'send one real message, and show the request and the answer without secrets',
    ['termii 08031234567 --sender Acme'],
    'It costs what the provider charges. No organisation is charged, and no message is stored.',
  )
    .argument('<phone>', 'who gets the message')
    .option('--text <text>', 'of the message', singleLine(160), 'This is a test message.')
    .requiredOption('--sender <sender>', 'a sender that is registered at the provider', senderArgument)
    .action(async (name: string, phone: string, { text, sender }: { text: string; sender: string }) => {
      const recipient = parsePhone(phone, session.settings.defaultRegion)?.e164;
      if (recipient === undefined) throw new CommandError(`"${phone}" is not a phone number.`);
      const database = await session.database();
      const provider = withSecrets(name, await new ProviderStore(session).get(database, name));
      await session.confirm(`Send a real message through ${name}?`);
      await database.$transaction((models) => session.audit(models, { target: name }));
      const clients = new HttpClients();
      try {
        const caller = new HttpCaller({
          ...{ clients, settings: provider.settings as unknown as HttpSettings, secrets: provider.secrets },
          maxTimeoutMs,
        });
        const values = { recipient, recipient_digits: recipient.slice(1), sender, text, reference: newId() };
        const { request, answer, failure, outcome, reference, reason, detail } = await caller.call(values);
        if (outcome !== 'accepted') session.exitCode = 1;
        session.show({
          ...{ outcome, reference, reason, detail, failure },
          request: `${request.method ?? 'POST'} ${request.url}`,
          request_headers: new StoredJson(request.headers),
          request_body: request.body,
          answer_status: answer?.status,
          answer_body: answer?.text,
        });
      } finally {
        await clients.close();
      }
    });
}
