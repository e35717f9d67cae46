import { createHash } from 'node:crypto';
import { createReadStream, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { ContractSettings } from '@gangan/contracts';
import { RuntimeConfig } from '@gangan/runtime';
import {
  Controller,
  Get,
  Header,
  Headers,
  HttpStatus,
  Req,
  Res,
  StreamableFile,
  type Type,
} from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Public } from '../http/routes/access.js';
import { Undocumented } from './decorators.js';
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
  private cached?: { readonly text: string; readonly etag: string };

  constructor(
    private readonly modules: ModulesContainer,
    private readonly config: RuntimeConfig,
    private readonly settings: ContractSettings,
  ) {}

  @Get('openapi.json')
  @Public()
  @Undocumented()
  document(@Headers('if-none-match') known: string | undefined, @Res() reply: FastifyReply): void {
    const { text, etag } = (this.cached ??= this.build());
    void reply.headers({ etag, 'cache-control': 'no-cache' });
    if (known === etag) void reply.status(HttpStatus.NOT_MODIFIED).send();
    else void reply.status(HttpStatus.OK).type('application/json; charset=utf-8').send(text);
  }

  @Get('docs')
  @Public()
  @Undocumented()
  @Header('content-type', 'text/html; charset=utf-8')
  @Header('content-security-policy', contentSecurityPolicy)
  @Header('x-content-type-options', 'nosniff')
  @Header('referrer-policy', 'no-referrer')
  @Header('cache-control', 'no-cache')
  page(@Req() request: FastifyRequest): string {
    const [path = ''] = request.url.split('?', 1);
    return docsPage(version, path.endsWith('/'));
  }

  /** Not kept in memory. The page adds the version to the URL, so browsers may cache the file forever. */
  @Get('docs/reference.js')
  @Public()
  @Undocumented()
  @Header('x-content-type-options', 'nosniff')
  @Header('cache-control', 'public, max-age=31536000, immutable')
  reference(): StreamableFile {
    const file = createReadStream(join(folder, 'dist/browser/standalone.js'));
    return new StreamableFile(file, { type: 'text/javascript; charset=utf-8' });
  }

  private build() {
    const modules = [...this.modules.values()];
    const controllers = modules.flatMap((module) => [...module.controllers.values()]);
    const types = controllers.map(({ metatype }) => metatype as Type);
    const text = JSON.stringify(documentOf(types, this.config.PUBLIC_URL, this.settings));
    return { text, etag: `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"` };
  }
}
