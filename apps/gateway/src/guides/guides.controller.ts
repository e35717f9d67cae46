import { readFileSync } from 'node:fs';
import { notFound } from '@gangan/protocol';
import { Controller, HttpStatus, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { docsFolder } from '../docs-folder.js';
import { FixedDocument } from '../http/fixed-document.js';
import { GetFixedDocument } from '../openapi/decorators.js';
import { guidesPath } from '../openapi/guide-list.js';
import { guideHeaders, guidePage, listPage, versionOf } from './guide-page.js';
import { guideScript } from './guide-script.js';
import { searchIndex } from './guide-search.js';
import { renderGuides } from './render-guides.js';

const read = (file: string): string => readFileSync(new URL(`use/${file}`, docsFolder), 'utf8');

const documentOf = (text: string): FixedDocument => new FixedDocument(() => Buffer.from(text));

/** The pages of `docs/use`, with a search. Their URLs are relative, because a proxy may serve them below a path. */
@Controller(guidesPath)
export class GuidesController {
  private readonly rendered = renderGuides(read);
  private readonly version = versionOf(guideScript());
  private readonly list = documentOf(listPage(this.version));
  private readonly pages = new Map(
    this.rendered.map((page, at) => [
      page.guide.name,
      documentOf(guidePage(this.version, page, this.rendered[at + 1])),
    ]),
  );
  private readonly index = new FixedDocument(() => Buffer.from(searchIndex(this.rendered)));
  private readonly script = documentOf(guideScript());
  private readonly vectors = documentOf(read('callbacks/signature-vectors.json'));
  private readonly receiver = documentOf(read('examples/receiver.mjs'));

  @GetFixedDocument()
  async sendList(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    if (hasSlash(request)) void reply.redirect('../guides', HttpStatus.PERMANENT_REDIRECT);
    else await this.list.send(request, reply.headers(guideHeaders));
  }

  @GetFixedDocument(':name')
  async sendGuide(
    @Param('name') name: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const page = this.pages.get(name);
    if (!page) throw notFound('The guide');
    if (hasSlash(request)) void reply.redirect(`../${name}`, HttpStatus.PERMANENT_REDIRECT);
    else await page.send(request, reply.headers(guideHeaders));
  }

  @GetFixedDocument('search.json', 'application/json')
  searchIndex(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.index.send(request, reply);
  }

  @GetFixedDocument('guides.js', 'text/javascript')
  guideScript(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.script.send(request, reply);
  }

  @GetFixedDocument('callbacks/signature-vectors.json', 'application/json')
  signatureVectors(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.vectors.send(request, reply);
  }

  @GetFixedDocument('examples/receiver.mjs', 'text/plain')
  exampleReceiver(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.receiver.send(request, reply);
  }
}

const hasSlash = ({ url }: FastifyRequest): boolean => url.split('?', 1)[0]?.endsWith('/') ?? false;
