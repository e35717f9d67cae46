import { sql } from '@gangan/database';
import { retentionOf } from '@gangan/leases';
import { parseDurations } from '@gangan/runtime';
import { ContactsConfig } from './contacts.config.js';
import { uploadTimeoutMs } from './imports/uploads.repository.js';

/** Each import or export may have a large file. */
const ended = { since: 'ended_at', where: sql`ended_at IS NOT NULL`, limit: 5, intervalMs: 60_000 };

export const contactsRetention = retentionOf(ContactsConfig, [
  {
    ...ended,
    table: 'contact_import',
    keptMs: ({ CONTACT_IMPORT_KEPT_FOR: kept }) => parseDurations(kept)?.[0] ?? 0,
    kind: 'imports',
    owned: sql`table_id = (SELECT id FROM contact_table WHERE organisation_id = kept.organisation_id LIMIT 1)`,
  },
  {
    ...ended,
    table: 'contact_export',
    keptMs: ({ CONTACT_EXPORT_KEPT_FOR: kept }) => parseDurations(kept)?.[0] ?? 0,
  },
  {
    ...ended,
    table: 'contact_import',
    since: 'heard_at',
    keptMs: uploadTimeoutMs,
    where: sql`state = 'uploading'`,
  },
  { table: 'contact_scroll', since: 'expires_at', keptMs: 0, intervalMs: 60_000 },
]);
