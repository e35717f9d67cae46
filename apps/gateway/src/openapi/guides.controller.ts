import { readFileSync } from 'node:fs';
import { notFound } from '@gangan/protocol';
import { Controller, Get, Header, HttpStatus, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { docsFolder } from '../docs-folder.js';
import { FixedDocument, ServesFixedDocument } from '../http/fixed-document.js';
import { pageHeaders, pageText } from '../http/pages/html-page.js';
import { Public } from '../http/routes/access.js';
import { Undocumented } from './decorators.js';
import { guides, guidesPath } from './guide-list.js';
import { renderGuides } from './render-guides.js';

const style = `
body { margin: 2rem auto; max-width: 60rem; }
h1, h2, h3 { line-height: 1.25; margin-top: 2em; }
h1 { margin-top: 1em; }
table, pre { display: block; overflow-x: auto; max-width: 100%; }
table { border-collapse: collapse; font-size: 0.9rem; }
th, td { border: 1px solid #8884; padding: 0.35rem 0.6rem; text-align: left; vertical-align: top; min-width: 3rem; }
th:first-child, td:first-child { min-width: min(11rem, 25vw); }
pre { background: #8882; border-radius: 0.4rem; padding: 0.8rem; font-size: 0.85rem; line-height: 1.45; }
code { font-family: ui-monospace, monospace; font-size: 0.9em; overflow-wrap: anywhere; }
pre code { font-size: inherit; overflow-wrap: normal; }
`;

/** The documentation for API users, from the folder `docs`. Its URLs are relative, because a proxy may serve it below a path. */
@Controller(guidesPath)
export class GuidesController {
  private readonly list = pageDocument('Guides', listBody);
  private readonly pages = pagesOf(renderGuides(read));
  private readonly vectors = new FixedDocument(() =>
    Buffer.from(read('use/callbacks/signature-vectors.json')),
  );

  @Get()
  @Public()
  @Undocumented()
  @ServesFixedDocument()
  async sendList(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    if (hasSlash(request)) void reply.redirect('../guides', HttpStatus.PERMANENT_REDIRECT);
    else await this.list.send(request, reply.headers(pageHeaders));
  }

  @Get(':name')
  @Public()
  @Undocumented()
  @ServesFixedDocument()
  async sendGuide(
    @Param('name') name: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const page = this.pages.get(name);
    if (!page) throw notFound('The guide');
    if (hasSlash(request)) void reply.redirect(`../${name}`, HttpStatus.PERMANENT_REDIRECT);
    else await page.send(request, reply.headers(pageHeaders));
  }

  @Get('callbacks/signature-vectors.json')
  @Public()
  @Undocumented()
  @ServesFixedDocument()
  @Header('content-type', 'application/json; charset=utf-8')
  signatureVectors(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.vectors.send(request, reply);
  }
}

const read = (file: string): string => readFileSync(new URL(file, docsFolder), 'utf8');

const hasSlash = ({ url }: FastifyRequest): boolean => url.split('?', 1)[0]?.endsWith('/') ?? false;

const navigation = '<p><a href="../../docs">API reference</a> · <a href="../guides">Guides</a></p>';

const listBody = `<p>How to use the API. The <a href="../docs">API reference</a> describes every request.</p>
<ul>
${guides.map(({ name, title }) => `<li><a href="guides/${name}">${title}</a></li>`).join('\n')}
</ul>`;

const pageDocument = (title: string, body: string): FixedDocument =>
  new FixedDocument(() => Buffer.from(pageText({ title, body, style })));

const pagesOf = (bodies: ReadonlyMap<string, string>): ReadonlyMap<string, FixedDocument> =>
  new Map(
    guides.map(({ name, title }) => [name, pageDocument(title, `${navigation}\n${bodies.get(name) ?? ''}`)]),
  );
