import type { FieldError } from '@gangan/protocol';
import type { MessageBody } from '../text/message-text.js';
import { placeholdersOf } from '../text/rendering.js';

/** The names of columns that a text is filled from. */
export const namesIn = ({ content, templateVariables }: MessageBody): string[] => [
  ...new Set([...placeholdersOf(content), ...templateVariables]),
];

const braces = /\{\{([^{}]*)\}\}/g;

/** What looks like a column's name, and would be read raw. */
export function rawNames({ content }: MessageBody, field: string): FieldError[] {
  const names = [...new Set([...content.matchAll(braces)].map(([, name = '']) => name.trim()))];
  return names
    .filter((name) => placeholdersOf(`{{${name}}}`).length === 0)
    .map((name) => ({
      field,
      message: `${field}: {{${name.slice(0, 64)}}} cannot be filled in: write _ for what is no letter from a to z and no digit`,
      type: 'value_error',
    }));
}

export const unknownName = (name: string, field: string): FieldError => ({
  field,
  message: `${field}: {{${name}}} is the name of no column of your contacts`,
  type: 'value_error',
});
