import { maxInboundBytes } from '@gangan/contracts';
import { Controller, Get, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Public } from '../http/routes/access.js';
import { Undocumented } from '../openapi/decorators.js';
import { InboundService } from './inbound.service.js';

const takesRaw = { takes: 'raw', bodyLimit: maxInboundBytes } as const;

/** The address of a provider, and of one message: its `{report_url}`. */
const paths = [':provider/:token', ':provider/:token/:reference'];

/** Where providers send delivery reports. They have no API key; the token in the path and a signature replace it. */
@Controller('in')
export class InboundController {
  constructor(private readonly inbound: InboundService) {}

  @Get(paths)
  @Public(takesRaw)
  @Undocumented()
  async readQuery(@Req() request: FastifyRequest): Promise<string | undefined> {
    return this.receive(request);
  }

  @Post(paths)
  @Public(takesRaw)
  @Undocumented()
  async readBody(@Req() request: FastifyRequest): Promise<string | undefined> {
    return this.receive(request);
  }

  private receive(request: FastifyRequest): Promise<string | undefined> {
    const { method, headers, originalUrl: path, body, inbound } = request;
    if (!inbound) throw new Error('The request has not been admitted');
    const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0);
    return this.inbound.receive(inbound.provider, {
      method,
      path,
      headers,
      body: bytes,
      contentType: inbound.contentType,
    });
  }
}
