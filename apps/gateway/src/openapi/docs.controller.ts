import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { ContractSettings } from '@gangan/contracts';
import { RuntimeConfig } from '@gangan/runtime';
import { Controller, Get, Header, Req, Res, type Type } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { FixedDocument } from '../http/fixed-document.js';
import { Public } from '../http/routes/access.js';
import { GetFixedDocument, Undocumented } from './decorators.js';
import { contentSecurityPolicy, docsPage } from './docs-page.js';
import { documentOf } from './document.js';

const require = createRequire(import.meta.url);
/** The package exports its styles, but not the bundle, which contains them and everything else. */
const folder = dirname(dirname(require.resolve('@scalar/api-reference/style.css')));
const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
  readonly version: string;
};

/** The OpenAPI document, and a page that shows it. Serves its own assets, so it works without internet access. */
@Controller()
export class DocsController {
  private readonly openApi = new FixedDocument(() => Buffer.from(this.build()));
  private readonly script = new FixedDocument(() => readFile(join(folder, 'dist/browser/standalone.js')));

  constructor(
    private readonly modules: ModulesContainer,
    private readonly config: RuntimeConfig,
    private readonly settings: ContractSettings,
  ) {}

  @GetFixedDocument('openapi.json', 'application/json')
  @Header('cache-control', 'no-cache')
  document(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.openApi.send(request, reply);
  }

  @Get('docs')
  @Public()
  @Undocumented()
  @Header('content-type', 'text/html; charset=utf-8')
  @Header('content-security-policy', contentSecurityPolicy)
  @Header('referrer-policy', 'no-referrer')
  @Header('cache-control', 'no-cache')
  page(@Req() request: FastifyRequest): string {
    const [path = ''] = request.url.split('?', 1);
    return docsPage(version, path.endsWith('/'));
  }

  /** The page adds the version to the URL, so browsers may cache the file forever. */
  @GetFixedDocument('docs/reference.js', 'text/javascript')
  @Header('cache-control', 'public, max-age=31536000, immutable')
  reference(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.script.send(request, reply);
  }

  private build(): string {
    const modules = [...this.modules.values()];
    const controllers = modules.flatMap((module) => [...module.controllers.values()]);
    const types = controllers.map(({ metatype }) => metatype as Type);
    return JSON.stringify(documentOf(types, this.config.PUBLIC_URL, this.settings));
  }
}
