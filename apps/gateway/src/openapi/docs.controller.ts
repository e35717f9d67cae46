import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Controller, Get, Header, Param, Req, Res, StreamableFile } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { noSuchPath } from '../http/errors/http.errors.js';
import { Public } from '../http/routes/access.js';
import { Undocumented } from './decorators.js';
import { contentSecurityPolicy, docsPage } from './docs-page.js';

const folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
const assets: Readonly<Record<string, string>> = {
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'swagger-ui.css': 'text/css; charset=utf-8',
};
const cacheForever = 'public, max-age=31536000, immutable';

/** The OpenAPI document as a page. Serves its own assets, so it works without internet access. */
@Controller('docs')
export class DocsController {
  private version?: Promise<string>;

  @Get()
  @Public()
  @Undocumented()
  @Header('content-type', 'text/html; charset=utf-8')
  @Header('content-security-policy', contentSecurityPolicy)
  @Header('x-content-type-options', 'nosniff')
  @Header('referrer-policy', 'no-referrer')
  @Header('cache-control', 'no-cache')
  async page(@Req() request: FastifyRequest): Promise<string> {
    const [path = ''] = request.url.split('?', 1);
    return docsPage(await this.assetVersion(), path.endsWith('/'));
  }

  /** Not kept in memory. The page adds the version to the URL, so browsers may cache the file forever. */
  @Get(':file')
  @Public()
  @Undocumented()
  @Header('x-content-type-options', 'nosniff')
  asset(@Param('file') file: string, @Res({ passthrough: true }) reply: FastifyReply): StreamableFile {
    const type = Object.hasOwn(assets, file) ? assets[file] : undefined;
    if (type === undefined) throw noSuchPath('GET', `/docs/${file}`);
    void reply.header('cache-control', cacheForever);
    return new StreamableFile(createReadStream(join(folder, file)), { type });
  }

  private assetVersion(): Promise<string> {
    this.version ??= readFile(join(folder, 'package.json'), 'utf8').then(
      (text) => (JSON.parse(text) as { version: string }).version,
    );
    return this.version;
  }
}
