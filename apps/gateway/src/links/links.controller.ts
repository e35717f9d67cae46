import { Controller, Get, Param, Redirect, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Public } from '../http/routes/access.js';
import { Undocumented } from '../openapi/decorators.js';
import { ClickCounter } from './click-counter.js';
import { LinkResolver } from './link-resolver.js';

const responseHeaders = {
  // Every visit must reach the gateway to be counted.
  'cache-control': 'no-store',
  // Hides the link, and thereby the recipient, from the destination.
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex, nofollow',
};

/** Redirects recipients of messages who follow a tracked link. */
@Controller('l')
export class LinksController {
  constructor(
    private readonly links: LinkResolver,
    private readonly clicks: ClickCounter,
  ) {}

  @Get(':code')
  @Public()
  @Undocumented()
  @Redirect()
  async follow(
    @Param('code') code: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<{ url: string; statusCode: number }> {
    void reply.headers(responseHeaders);
    const url = await this.links.resolve(code);
    if (isVisit(request)) this.clicks.count(code);
    return { url, statusCode: 302 };
  }
}

/** Headers in which browsers and messengers announce a prefetch or preview. */
const purposeHeaders = ['purpose', 'sec-purpose', 'x-purpose', 'x-moz'] as const;
const prefetch = /prefetch|prerender|preview/i;

/** Whether a person follows the link, as far as the request shows. */
export function isVisit({ method, headers }: Pick<FastifyRequest, 'method' | 'headers'>): boolean {
  return method === 'GET' && !purposeHeaders.some((name) => prefetch.test(String(headers[name] ?? '')));
}
