import { isUtf8 } from 'node:buffer';

/** What a provider sent, as it is stored. */
export interface InboundContent {
  readonly query: string;
  readonly body: string;
  /** The encoding of `body`, from which its bytes can be restored; UTF-8 if absent. */
  readonly encoding?: 'latin1';
  /** Our reference of the message whose `{report_url}` was called. */
  readonly reference?: string;
}

/** Bodies that are not UTF-8 are read as Latin-1, in which every byte is a character. */
export const inboundBody = (body: Buffer): Pick<InboundContent, 'body' | 'encoding'> =>
  isUtf8(body) ? { body: body.toString('utf8') } : { body: body.toString('latin1'), encoding: 'latin1' };

/** A body is read as a form if its content type says so, otherwise as JSON. */
export const isForm = (contentType = ''): boolean =>
  /^application\/x-www-form-urlencoded\s*(;|$)/i.test(contentType);
