import { AppError } from '@gangan/protocol';
import { Controller, Get, HttpStatus, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { rememberError } from '../http/errors/error-response.js';
import { escapeHtml, isBrowser, sendPage } from '../http/pages/html-page.js';
import { clientNetwork } from '../http/request/client-address.js';
import { Public } from '../http/routes/access.js';
import { ApiRedirect, ApiTag } from '../openapi/decorators.js';
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
@ApiTag('Links', 'The short links of tracked messages')
export class LinksController {
  constructor(
    private readonly links: LinkResolver,
    private readonly clicks: ClickCounter,
  ) {}

  @Get(':code')
  @Public()
  @ApiRedirect({
    summary: 'Follow a short link',
    description:
      'Recipients of a message with `is_trackable` open these links. Redirects to the original URL and counts the click. A browser (`Accept: text/html`) that opens a link of a test organisation gets a page that shows the URL.',
  })
  async follow(
    @Param('code') code: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    void reply.headers(responseHeaders);
    try {
      const { url, isTest } = await this.links.resolve(code, clientNetwork(request));
      if (isVisit(request)) this.clicks.count(code);
      // Everybody can get a test key: without the page, links of this host could lead people to any site.
      if (isTest && isBrowser(request)) sendPage(reply, testLink(url));
      else void reply.redirect(url, HttpStatus.FOUND);
    } catch (error) {
      if (!isBrowser(request) || !(error instanceof AppError) || error.status !== 404) throw error;
      rememberError(request, error);
      sendPage(reply, deadLink);
    }
  }
}

/** Shown to the recipient of a message, not to a program. */
const deadLink = {
  status: HttpStatus.NOT_FOUND,
  title: 'This link does not work any more',
  body: '<p>It may be too old, or a part of it may be missing. Ask the sender for a new link.</p>',
};

/** Names the host, because the beginning of a URL can look like another one: `https://bank.example@evil.example`. */
const testLink = (url: string) => ({
  status: HttpStatus.OK,
  title: 'A link of a test message',
  style: 'a { overflow-wrap: anywhere; }',
  body: `<p>This message was sent with a test key. Its link leads to another site, <strong>${escapeHtml(new URL(url).host)}</strong>:</p>
<p><a href="${escapeHtml(url)}" rel="nofollow noreferrer">${escapeHtml(url)}</a></p>
<p>Open it only if you know this site and expect the message.</p>`,
});

/** Headers in which browsers and messengers announce a prefetch or preview. */
const purposeHeaders = ['purpose', 'sec-purpose', 'x-purpose', 'x-moz'] as const;
const prefetch = /prefetch|prerender|preview/i;

/** Whether a person follows the link, as far as the request shows. */
export function isVisit({ method, headers }: Pick<FastifyRequest, 'method' | 'headers'>): boolean {
  return method === 'GET' && !purposeHeaders.some((name) => prefetch.test(String(headers[name] ?? '')));
}
