import { isUtf8 } from 'node:buffer';
import type { ReceiveInbound } from '@gangan/contracts';

/** Bodies that are not UTF-8 are read as Latin-1, in which every byte is a character. */
export const inboundBody = (body: Buffer): Pick<ReceiveInbound, 'body' | 'encoding'> =>
  isUtf8(body) ? { body: body.toString('utf8') } : { body: body.toString('latin1'), encoding: 'latin1' };
