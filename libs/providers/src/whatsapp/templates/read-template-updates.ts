import { isTooLong } from '../../http/incoming/name-length.js';
import { readTime } from '../../http/incoming/read-time.js';
import { textAt, valueAt } from '../../http/json-values.js';
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
/** More than fit into one request. */
const maxUpdates = 1_000;

/** What all updates of an entry share. */
type Source = Pick<TemplateUpdate, 'accountId' | 'at'>;

/** Reads what a webhook of WhatsApp says about templates. Pure. Updates that cannot be stored are left out. */
export function readTemplateUpdates(document: unknown): readonly TemplateUpdate[] {
  const entries = valueAt(document, '/entry');
  return (Array.isArray(entries) ? (entries as unknown[]) : []).flatMap(updatesOf).slice(0, maxUpdates);
}

function updatesOf(entry: unknown): readonly TemplateUpdate[] {
  const all = valueAt(entry, '/changes');
  const changes = (Array.isArray(all) ? (all as unknown[]) : [])
    .filter((change) => textAt(change, '/field') === field)
    .slice(0, maxUpdates);
  const accountId = textAt(entry, '/id');
  if (changes.length === 0 || accountId === undefined || isTooLong(accountId)) return [];
  const source = {
    accountId: storableText(accountId, maxLength),
    at: endOfSecond(readTime(textAt(entry, '/time'))),
  };
  return changes.flatMap((change) => updateOf(change, source));
}

function updateOf(change: unknown, source: Source): TemplateUpdate[] {
  const find = (name: string): string | undefined => storable(textAt(change, `/value/${name}`));
  const [name, language] = [find('message_template_name'), find('message_template_language')];
  const status = find('event')?.toUpperCase();
  if (name === undefined || language === undefined || status === undefined) return [];
  if (name.length > max.name || language.length > max.language || status.length > max.status) return [];
  return [
    {
      ...{ ...source, name, language },
      status: status === 'REINSTATED' ? 'APPROVED' : status,
      reason: shown(find('reason')) ?? shown(find('other_info/title')) ?? null,
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
