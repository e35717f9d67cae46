import { listAt, parseExactJson } from './json-values.js';

export interface InboundRequest {
  /** The query without the question mark. */
  readonly query: string;
  readonly contentType?: string | undefined;
  readonly body: string;
  /** Our reference of a message, if the request was sent to its `{report_url}`. */
  readonly reference?: string | undefined;
}

/**
 * What a request says, as one document; `undefined` if it cannot be read. A body is a form if its content type says so,
 * otherwise JSON; without a body the query is read.
 */
export function documentOf({ query, contentType, body }: InboundRequest): unknown {
  if (body === '') return fieldsOf(query);
  return isForm(contentType) ? fieldsOf(body) : parseExactJson(body);
}

/** A body is read as a form if its content type says so, otherwise as JSON. */
export const isForm = (contentType = ''): boolean =>
  /^application\/x-www-form-urlencoded\s*(;|$)/i.test(contentType);

/** If a field is given twice, its first value counts. */
const fieldsOf = (text: string): object => Object.fromEntries([...new URLSearchParams(text)].toReversed());

/** The list at a place, or the document itself as the only item; `undefined` if there is no list. */
export function itemsAt(document: unknown, list: string | undefined): readonly unknown[] | undefined {
  if (list === undefined) return [document];
  const found = listAt(document, list);
  return Array.isArray(found) ? (found as unknown[]) : undefined;
}
