import { Controller, Get, HttpStatus, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isBrowser, sendPage } from '../http/html-page.js';
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

/** The response at `/`: a page for browsers, JSON for other clients. */
@Controller()
export class HomeController {
  @Get()
  @Public()
  @Undocumented()
  home(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    if (isBrowser(request)) sendPage(reply, { status: HttpStatus.OK, title: 'Gangan', body });
    else void reply.header('vary', 'Accept').send({ name: 'Gangan', ...withSlash(links) });
  }
}

const withSlash = (paths: Readonly<Record<string, string>>): object =>
  Object.fromEntries(Object.entries(paths).map(([name, path]) => [name, `/${path}`]));
