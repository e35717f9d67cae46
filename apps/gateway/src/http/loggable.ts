import type { AppError } from '@gangan/protocol';
import { maskPhone } from '@gangan/runtime';
import { pathOf } from './route-table.js';
import { shortened } from './shortened.js';

const longestPath = 100;
const mostFields = 20;
/** Of callers' own names only those that can be nothing else. */
const plainName = /^[\w.-]{1,100}$/;
/** Phone numbers however they are written and whatever stands beside them, and one-time passwords. */
const numbers = /\+?\d(?:[ ().-]{0,2}\d){3,}/g;

/** What is known of a refusal: which fields, never what stood in them. */
export function loggableRefusal({ code, fields }: AppError): object {
  const names = fields.map(({ field }) => field).filter((name) => plainName.test(name));
  return { type: code, ...(names.length > 0 && { fields: names.slice(0, mostFields).map(withoutNumbers) }) };
}

/** A path that leads nowhere, without its query; nothing of one that cannot be decoded. */
export function loggablePath(url: string): string | undefined {
  try {
    return shortened(withoutNumbers(decodeURIComponent(pathOf(url))), longestPath);
  } catch {
    return undefined;
  }
}

const withoutNumbers = (text: string): string => text.replace(numbers, maskPhone);
