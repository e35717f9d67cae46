import { type Template, formatTimestamp } from '@gangan/contracts';
import { placeholdersOf } from '../text/rendering.js';
import type { TemplateRow } from './templates.repository.js';

export const templateAnswer = (row: TemplateRow): Template => ({
  id: row.id,
  name: row.name,
  channel: row.channel,
  body: row.body,
  placeholders: placeholdersOf(row.body),
  ...(row.providerName !== null && { provider_name: row.providerName }),
  ...(row.language !== null && { language: row.language }),
  variables: [...row.variables],
  created_datetime: formatTimestamp(row.createdAt),
  ...(row.updatedAt !== null && { updated_datetime: formatTimestamp(row.updatedAt) }),
});
