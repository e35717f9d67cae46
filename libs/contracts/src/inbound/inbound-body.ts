import { isUtf8 } from 'node:buffer';
import { promisify } from 'node:util';
import { constants, gunzip, gzip } from 'node:zlib';
import type { ReceiveInbound } from './inbound.dto.js';

/** The largest limit of a provider, see `maxBytes` of its settings. */
export const maxInboundBytes = 3 * 1_024 * 1_024;
/** Larger bodies are compressed in another thread: a large job would delay all other requests of its gateway and worker. */
const compressedFrom = 64 * 1_024;
/** Reports are texts and shrink to a quarter. */
export const maxCompressedBytes = 1_024 * 1_024;

type Body = Pick<ReceiveInbound, 'body' | 'encoding'>;
type TextBody = Body & { readonly encoding?: 'latin1' };

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/** The body as text. Bytes that are not UTF-8 are read as Latin-1, in which every byte is a character. */
export const textOfBody = (body: Buffer): TextBody =>
  isUtf8(body) ? { body: body.toString('utf8') } : { body: body.toString('latin1'), encoding: 'latin1' };

/** @returns the body as it is sent to a worker; undefined if it is too large even when it is compressed */
export async function packBody(body: Buffer): Promise<Body | undefined> {
  if (body.length <= compressedFrom) return textOfBody(body);
  const compressed = await compress(body, { level: constants.Z_BEST_SPEED });
  if (compressed.length > maxCompressedBytes) return undefined;
  return { body: compressed.toString('base64'), encoding: 'gzip' };
}

/** @throws if the body is not what `packBody` returned */
export const unpackBody = ({ body, encoding }: Body): Promise<Buffer> =>
  encoding === 'gzip'
    ? decompress(Buffer.from(body, 'base64'), { maxOutputLength: maxInboundBytes })
    : Promise.resolve(Buffer.from(body, encoding ?? 'utf8'));
