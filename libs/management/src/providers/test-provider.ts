import type { ParsedPhone } from '@gangan/contracts';
import { describeError, newId } from '@gangan/protocol';
import {
  type HttpCall,
  HttpCaller,
  HttpClients,
  type HttpSettings,
  type LookupCall,
  LookupCaller,
  type LookupSettings,
  messageSettings,
  reportAddress,
  templateRequest,
  usesReportUrl,
  type WhatsAppSettings,
} from '@gangan/providers';
import { change } from '../audit.js';
import { Refusal } from '../refusal.js';
import { openInboundToken } from './inbound-token.js';
import type { openProvider, SealedAccess, SealerReader } from './stored-provider.js';

type OpenedProvider = Awaited<ReturnType<typeof openProvider>>;

const maxTimeoutMs = 30_000;

export interface TestMessage {
  readonly text: string;
  /** Registered at the provider; of WhatsApp it is not needed. */
  readonly sender: string;
  /** Of WhatsApp, without variables, instead of the text. */
  readonly template?: { readonly name: string; readonly language: string } | undefined;
  /** PUBLIC_URL, to which the provider may report. */
  readonly publicUrl: string | undefined;
}

/** @throws Refusal if the provider cannot be tested with this sender */
export function requireTestable({ domain, kind }: OpenedProvider, sender: string): void {
  if (domain === 'airtime')
    throw new Refusal('conflict', 'A test would buy airtime: buy some with a live key instead.');
  if (domain === 'message' && kind !== 'whatsapp' && sender === '')
    throw new Refusal('invalid', 'Name a sender that is registered at the provider', { next: 'name_sender' });
}

/** Sends one real message, or looks one number up. Nobody is charged, and nothing is stored but the entry in the audit log. */
export async function testProvider(
  access: SealedAccess,
  provider: OpenedProvider,
  phone: ParsedPhone,
  { text, sender, template, publicUrl }: TestMessage,
): Promise<HttpCall<string> & Pick<LookupCall, 'finding'>> {
  requireTestable(provider, sender);
  await change(access, 'providers test', (_, log) => log({ target: provider.name }));
  const { kind, domain, secrets } = provider;
  const settings: unknown = provider.settings;
  const clients = new HttpClients();
  const options = { clients, secrets, maxTimeoutMs };
  try {
    if (domain === 'lookup')
      return await new LookupCaller({ ...options, settings: settings as LookupSettings }).call(phone);
    const own = messageSettings(kind, provider.settings) as HttpSettings;
    const caller = new HttpCaller({
      ...options,
      ...(usesReportUrl(own) && { reportAddress: await addressOf(access.sealer, provider, publicUrl) }),
      settings: own,
      ...(kind === 'whatsapp' && { requestFor: templateRequest(settings as WhatsAppSettings) }),
    });
    const { e164: recipient } = phone;
    const values = { recipient, recipient_digits: recipient.slice(1), sender, text, reference: newId() };
    return await caller.call({ ...values, ...(template && { template: { ...template, values: [] } }) });
  } finally {
    await clients.close();
  }
}

async function addressOf(sealer: SealerReader, provider: OpenedProvider, publicUrl: string | undefined) {
  const { name, kind, settings } = provider;
  const token = await openInboundToken(sealer, provider);
  try {
    return reportAddress(name, messageSettings(kind, settings), token, publicUrl);
  } catch (cause) {
    throw new Refusal('conflict', `${name} cannot be tested: ${describeError(cause)}.`, { cause });
  }
}
