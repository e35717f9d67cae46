import { isUtf8 } from 'node:buffer';

/** What a provider sent, as it is stored. */
export interface InboundContent {
  readonly query: string;
  readonly body: string;
  /** How bytes became `body`, so that all of them can be restored; UTF-8 if absent. */
  readonly encoding?: 'latin1';
}

/** In Latin-1 every byte is a character, so it takes every body that is not UTF-8. */
export const inboundContent = (query: string, body: Buffer): InboundContent =>
  isUtf8(body)
    ? { query, body: body.toString('utf8') }
    : { query, body: body.toString('latin1'), encoding: 'latin1' };

/** A body is read as a form if its content type says so, otherwise as JSON. */
export const isForm = (contentType = ''): boolean =>
  /^application\/x-www-form-urlencoded\s*(;|$)/i.test(contentType);
