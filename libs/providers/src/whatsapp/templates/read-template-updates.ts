import { readTime } from '../../http/incoming/read-time.js';
import { listAt, textAt, valueAt } from '../../http/json-values.js';
import { storableText } from '../../storable-text.js';

/** What WhatsApp says about the approval of a template. */
export interface TemplateUpdate {
  /** The id of the WhatsApp Business Account. */
  readonly accountId: string;
  readonly name: string;
  readonly language: string;
  /** As in `AccountTemplate`. */
  readonly status: string;
  readonly reason: string | null;
  readonly at: Date | null;
}

const field = 'message_template_status_update';
/** The lengths of the columns. */
const max = { name: 512, language: 16, status: 32, reason: 255 } as const;
/** More than one request has. */
const maxUpdates = 1_000;

/** Reads what a webhook of WhatsApp says about templates. Pure. Updates that cannot be stored are left out. */
export function readTemplateUpdates(document: unknown): readonly TemplateUpdate[] {
  const entries = listAt(document, '/entry/*/changes') as readonly unknown[];
  if (!entries.some((change) => textAt(change, '/field') === field)) return [];
  const all = valueAt(document, '/entry');
  return (Array.isArray(all) ? (all as unknown[]) : [])
    .flatMap((entry) => {
      const changes = valueAt(entry, '/changes');
      return Array.isArray(changes) ? changes.flatMap((change: unknown) => updateOf(entry, change)) : [];
    })
    .slice(0, maxUpdates);
}

function updateOf(entry: unknown, change: unknown): TemplateUpdate[] {
  const find = (name: string): string | undefined => storable(textAt(change, `/value/${name}`));
  const accountId = storable(textAt(entry, '/id'));
  const [name, language] = [find('message_template_name'), find('message_template_language')];
  const status = find('event')?.toUpperCase();
  if (textAt(change, '/field') !== field) return [];
  if (accountId === undefined || name === undefined || language === undefined || status === undefined)
    return [];
  if (name.length > max.name || language.length > max.language || status.length > max.status) return [];
  return [
    {
      ...{ accountId, name, language },
      status: status === 'REINSTATED' ? 'APPROVED' : status,
      reason: shown(find('reason')) ?? shown(find('other_info/title')) ?? null,
      at: endOfSecond(readTime(textAt(entry, '/time'))),
    },
  ];
}

const shown = (reason: string | undefined): string | undefined =>
  reason === undefined || reason === '' || reason === 'NONE' ? undefined : storableText(reason, max.reason);

/** Longer than any column, so that values that are too long are recognised. */
const maxLength = 1_000;

const storable = (text: string | undefined): string | undefined =>
  text === undefined ? undefined : storableText(text, maxLength);

/** WhatsApp gives whole seconds. An update may be later than what was read from the account in the same second. */
const endOfSecond = (time: Date | undefined): Date | null =>
  time === undefined ? null : new Date(Math.floor(time.getTime() / 1_000) * 1_000 + 999);
