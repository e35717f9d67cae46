import { parsePhone, type ParsedPhone } from '@gangan/contracts';
import { newId } from '@gangan/protocol';
import {
  type HttpCall,
  HttpCaller,
  HttpClients,
  type HttpSettings,
  LookupCaller,
  type LookupSettings,
  messageSettings,
  type ReportAddress,
  reportAddress,
  templateRequest,
  usesReportUrl,
  type WhatsAppSettings,
} from '@gangan/providers';
import type { Command } from 'commander';
import { sender as senderArgument, singleLine } from '../session/arguments.js';
import { CommandError } from '../session/errors.js';
import { type Row, StoredJson } from '../session/print.js';
import { addCommand, type AdminSession } from '../session/session.js';
import type { ProviderDefinition } from './definition.js';
import { ProviderStore, withSecrets } from './provider-store.js';

const maxTimeoutMs = 30_000;

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
      const phone = parsePhone(given, session.settings.defaultRegion);
      if (!phone) throw new CommandError(`"${given}" is not a phone number.`);
      const database = await session.database();
      const provider = withSecrets(name, await new ProviderStore(session).get(database, name));
      const test = testOf(provider, phone, options, () => addressOf(session, name));
      await session.confirm(test.question(name));
      await database.$transaction((models) => session.audit(models, { target: name }));
      const clients = new HttpClients();
      try {
        const { call, result } = await test.run(clients);
        const { failure, outcome, reason, detail } = call;
        const { request, answer } = call.shown;
        if (outcome !== 'accepted') session.exitCode = 1;
        session.show({
          outcome,
          ...result,
          reason,
          detail,
          failure,
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

interface ProviderTest {
  question(name: string): string;
  run(clients: HttpClients): Promise<{ readonly call: HttpCall<string>; readonly result: Row }>;
}

/** @throws CommandError if PUBLIC_URL is missing */
async function addressOf(session: AdminSession, name: string): Promise<ReportAddress> {
  const database = await session.database();
  const store = new ProviderStore(session);
  const { kind, settings } = await store.get(database, name);
  const token = await store.openToken(database, name);
  try {
    return reportAddress(
      name,
      messageSettings(kind, settings),
      token,
      session.settings.variable('PUBLIC_URL'),
    );
  } catch (error) {
    throw new CommandError(
      `${name} cannot be tested: ${error instanceof Error ? error.message : String(error)}.`,
    );
  }
}

function testOf(
  { kind, domain, settings, secrets }: ProviderDefinition,
  phone: ParsedPhone,
  { text, sender = '', template, language }: TestOptions,
  findAddress: () => Promise<ReportAddress>,
): ProviderTest {
  if (domain === 'airtime')
    throw new CommandError('A test would buy airtime: buy some with a live key instead.');
  if (domain === 'lookup')
    return {
      question: (name) => `Look the number up at ${name}?`,
      run: async (clients) => {
        const options = { clients, settings: settings as unknown as LookupSettings, secrets, maxTimeoutMs };
        const call = await new LookupCaller(options).call(phone);
        return { call, result: { finding: call.finding && new StoredJson(call.finding) } };
      },
    };
  if (kind !== 'whatsapp' && sender === '')
    throw new CommandError('Name a sender that is registered at the provider: --sender.');
  return {
    question: (name) => `Send a real message through ${name}?`,
    run: async (clients) => {
      const own = messageSettings(kind, settings) as HttpSettings;
      const caller = new HttpCaller({
        ...(usesReportUrl(own) && { reportAddress: await findAddress() }),
        clients,
        secrets,
        maxTimeoutMs,
        settings: own,
        ...(kind === 'whatsapp' && { requestFor: templateRequest(settings as unknown as WhatsAppSettings) }),
      });
      const { e164: recipient } = phone;
      const values = { recipient, recipient_digits: recipient.slice(1), sender, text, reference: newId() };
      const call = await caller.call(
        template === undefined ? values : { ...values, template: { name: template, language, values: [] } },
      );
      return { call, result: { reference: call.reference } };
    },
  };
}
