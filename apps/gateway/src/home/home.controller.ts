import { demoApiKey } from '@gangan/database';
import { RuntimeConfig } from '@gangan/runtime';
import { Controller, Get, HttpStatus, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Authenticator } from '../auth/authenticator.js';
import { escapeHtml, isBrowser, sendPage } from '../http/pages/html-page.js';
import { Public } from '../http/routes/access.js';
import { Undocumented } from '../openapi/decorators.js';
import { guidesPath } from '../openapi/guide-list.js';

const links = { docs: 'docs', guides: guidesPath, openapi: 'openapi.json', health: 'readyz' };

/** Its URLs are relative, because a proxy may serve it below a path. */
const body = `<p>Messages, one-time passwords, airtime, phone lookup and contacts over one HTTP API.</p>
<ul>
<li><a href="${links.docs}">API reference</a>: read and try every request</li>
<li><a href="${links.guides}">Guides</a>: how to use it, and the formats of callbacks</li>
<li><a href="${links.openapi}">OpenAPI document</a>: for generators and other tools</li>
<li><a href="${links.health}">Health</a>: whether this gateway can serve requests</li>
</ul>`;

const style =
  'pre { white-space: pre-wrap; overflow-wrap: anywhere; background: #8882; border-radius: 0.4rem; padding: 0.8rem; font-size: 0.85rem; }';

/** A host without characters that a shell interprets. */
const plainHost = /^[\w.:[\]-]+$/;

/** A command that works in every shell. The number is one of the demo data. */
const tryDemo = (url: string): string => `
<p>This system has a demo organisation with play money. Its key is <code>${demoApiKey}</code>:</p>
<pre><code>${escapeHtml(`curl "${url}/lookup/phone?phone=07000000008" -H "Authorization: ${demoApiKey}"`)}</code></pre>`;

/** The response at `/`: a page for browsers, JSON for other clients. */
@Controller()
export class HomeController {
  constructor(
    private readonly authenticator: Authenticator,
    private readonly config: RuntimeConfig,
  ) {}

  @Get()
  @Public()
  @Undocumented()
  async home(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    if (!isBrowser(request)) {
      void reply.header('vary', 'Accept').send({ name: 'Gangan', ...withSlash(links) });
      return;
    }
    const demo = (await this.authenticator.acceptsDemoKey()) ? tryDemo(this.urlOf(request)) : '';
    sendPage(reply, { status: HttpStatus.OK, title: 'Gangan', body: body + demo, style });
  }

  /** The address that the browser used. `PUBLIC_URL` knows the scheme and path of a proxy, but other addresses may lead here. */
  private urlOf({ protocol, host }: FastifyRequest): string {
    const { PUBLIC_URL } = this.config;
    return new URL(PUBLIC_URL).host === host || !plainHost.test(host) ? PUBLIC_URL : `${protocol}://${host}`;
  }
}

const withSlash = (paths: Readonly<Record<string, string>>): object =>
  Object.fromEntries(Object.entries(paths).map(([name, path]) => [name, `/${path}`]));
