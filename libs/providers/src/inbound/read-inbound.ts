import type { CostSettings } from '../cost/cost-settings.js';
import { costInReport } from '../cost/reported-cost.js';
import { documentOf, type InboundRequest } from '../http/inbound-document.js';
import type { HttpSettings } from '../http/http-settings.js';
import {
  noMessages,
  readIncoming,
  type ReadMessage,
  type ReadMessages,
} from '../http/incoming/read-incoming.js';
import { type ReadCost, type ReadReport, readReports } from '../http/reports/read-reports.js';
import { messageSettings } from '../message-settings.js';
import { whatsAppCost } from '../whatsapp/message-cost.js';
import { readTemplateUpdates, type TemplateUpdate } from '../whatsapp/templates/read-template-updates.js';
import { readWhatsAppMessages } from '../whatsapp/read-messages.js';

/** What a request of a provider says. */
export interface ReadInbound {
  readonly reports: readonly ReadReport[];
  readonly messages: readonly ReadMessage[];
  /** Set only for WhatsApp, and only if there is an update. */
  readonly templates?: readonly TemplateUpdate[];
  /** Why something could not be read, without its values; empty if everything was read. */
  readonly faults: readonly string[];
}

/** Reads the delivery reports, the incoming messages and what is said about templates. Pure. @param provider of any kind, also an unknown one */
export function readInbound(
  { kind, settings }: { readonly kind: string; readonly settings: object },
  request: InboundRequest,
): ReadInbound {
  const http = messageSettings(kind, settings);
  const document = documentOf(request);
  const { messages, items, faults } = readMessages(kind, http, document);
  if (http.reports) {
    const { cost } = settings as { readonly cost?: CostSettings };
    const read = readReports(http.reports, document, {
      messages: items,
      readCost: costReader(kind, http, cost),
      addressed: request.reference,
    });
    const templates = kind === 'whatsapp' ? readTemplateUpdates(document) : [];
    return {
      messages,
      reports: read.reports,
      ...(templates.length > 0 && { templates }),
      faults: [...faults, ...read.faults],
    };
  }
  const nothing = http.incoming
    ? 'it has no message, and the provider has no settings for reports'
    : 'the provider has no settings for reports';
  return { messages, reports: [], faults: items.size === 0 ? [nothing] : faults };
}

/** @param given the settings as they are stored: their table is made once */
function costReader(kind: string, { reports }: Partial<HttpSettings>, given?: CostSettings): ReadCost {
  const places = reports?.cost;
  if (kind === 'whatsapp') return (status, state) => given && whatsAppCost(given, status, state);
  return (report) => places && costInReport(places, given, report);
}

function readMessages(kind: string, { incoming }: Partial<HttpSettings>, document: unknown): ReadMessages {
  if (kind === 'whatsapp') return readWhatsAppMessages(document);
  return incoming ? readIncoming(incoming, document) : noMessages;
}
