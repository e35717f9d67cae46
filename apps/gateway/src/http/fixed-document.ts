import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { HttpStatus } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Encoding, preferredEncoding } from './preferred-encoding.js';
import { ExtendRouteConfig } from './routes/access.js';

interface Representation {
  readonly bytes: Buffer;
  readonly etag: string;
}

/** The default, 11, would take seconds for the largest document. */
const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

const encoders: Readonly<Record<Encoding, (bytes: Buffer) => Promise<Buffer>>> = {
  br: (bytes) => promisify(brotliCompress)(bytes, brotliOptions),
  gzip: promisify<Buffer, Buffer>(gzip),
  identity: async (bytes) => Promise.resolve(bytes),
};

/** Room for the OpenAPI document, which programs request that may not decompress it. */
const maxPlainBytes = 1_048_576;

/** The route serves a `FixedDocument`, which compresses itself. */
export const ServesFixedDocument = (): MethodDecorator => ExtendRouteConfig({ isFixedDocument: true });

export const servesFixedDocument = (routeConfig: unknown): boolean =>
  (routeConfig as { readonly isFixedDocument?: boolean } | undefined)?.isFixedDocument === true;

/**
 * A document that stays the same while the process runs. It is read and compressed when it is first requested, once for
 * each encoding, outside the event loop: everyone may request it, and no rate limit applies.
 */
export class FixedDocument {
  private readonly representations = new Map<Encoding, Promise<Representation>>();

  constructor(private readonly read: () => Buffer | Promise<Buffer>) {}

  async send({ headers }: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { encoding, bytes, etag } = await this.choose(preferredEncoding(headers['accept-encoding']));
    void reply.headers({ etag, vary: 'Accept-Encoding' });
    if (isKnown(etag, headers['if-none-match'])) {
      void reply.status(HttpStatus.NOT_MODIFIED).send();
      return;
    }
    if (encoding !== 'identity') void reply.header('content-encoding', encoding);
    void reply.status(HttpStatus.OK).send(bytes);
  }

  /** A large document is always compressed, even for clients that do not ask for it. */
  private async choose(preferred: Encoding): Promise<Representation & { readonly encoding: Encoding }> {
    const made = await this.representation(preferred);
    const isTooLarge = preferred === 'identity' && made.bytes.length > maxPlainBytes;
    return isTooLarge
      ? { ...(await this.representation('gzip')), encoding: 'gzip' }
      : { ...made, encoding: preferred };
  }

  private representation(encoding: Encoding): Promise<Representation> {
    const earlier = this.representations.get(encoding);
    if (earlier) return earlier;
    const made = this.encode(encoding);
    this.representations.set(encoding, made);
    made.catch(() => this.representations.delete(encoding));
    return made;
  }

  private async encode(encoding: Encoding): Promise<Representation> {
    const bytes = await encoders[encoding](await this.read());
    return { bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"` };
  }
}

const isKnown = (etag: string, ifNoneMatch: string | undefined): boolean =>
  ifNoneMatch !== undefined &&
  ifNoneMatch.split(',').some((tag) => ['*', etag, `W/${etag}`].includes(tag.trim()));
